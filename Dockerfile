# One image for every process: `noripan <gateway|worker|scheduler|…>`. The pages are built in a stage of their own, so the
# image that serves has no Node; packages come by hash from the lock, and so does what builds ours. A host who wants the
# base images by digest gives them: --build-arg PYTHON_IMAGE=python@sha256:…
ARG NODE_IMAGE=node:22.20-bookworm-slim
ARG PYTHON_IMAGE=python:3.13-slim-bookworm

FROM ${NODE_IMAGE} AS web
WORKDIR /src/services/web
COPY services/web/package.json services/web/package-lock.json services/web/.npmrc ./
RUN npm ci --no-audit --no-fund
COPY schemas/json /src/schemas/json
COPY services/web ./
RUN npm run build

FROM ${PYTHON_IMAGE}
ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
WORKDIR /app
COPY requirements.lock ./
RUN pip install --no-cache-dir --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY schemas schemas
COPY engine engine
COPY services services
COPY --from=web /src/services/web/dist services/web/dist
RUN pip install --no-cache-dir --no-deps --no-build-isolation . \
    && useradd --system --no-create-home noripan \
    && install -d -o noripan /data
USER noripan
ENV NORIPAN_DATA_DIR=/data NORIPAN_HOST=0.0.0.0
VOLUME /data
EXPOSE 8080
ENTRYPOINT ["noripan"]
CMD ["gateway"]
