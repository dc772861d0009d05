// The budget of the first page: everything index.html loads before anyone can act, gzip'd, in all at most 90 kB.
import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";

const BUDGET = 90_000;
const dist = new URL("../dist/", import.meta.url);
const html = await readFile(new URL("index.html", dist), "utf8");
const names = ["index.html", ...[...html.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g)].map((match) => match[1])];
let total = 0;
for (const name of names) {
  const bytes = gzipSync(await readFile(new URL(name, dist))).length;
  total += bytes;
  console.log(`${String(bytes).padStart(7)}  ${name}`);
}
console.log(`${String(total).padStart(7)}  of ${BUDGET} bytes gzip`);
if (/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/i.test(html)) {
  console.error("index.html holds inline script or style, which the Content-Security-Policy blocks");
  process.exit(1);
}
if (total > BUDGET) process.exit(1);
