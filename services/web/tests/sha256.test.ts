// Goal: our SHA-256 is SHA-256. Method: Node's, over every length around the block borders.
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { fromHex, sha256, sha256OfHex, toHex } from "../src/lib/sha256";

it("equals the platform's for all lengths from 0 to 200 and for a long one", () => {
  for (const length of [...Array(201).keys(), 100_000]) {
    const data = Uint8Array.from({ length }, (_, i) => (i * 31 + length) & 255);
    expect(toHex(sha256(data))).toBe(createHash("sha256").update(data).digest("hex"));
  }
});

it("reads and writes hex", () => {
  expect(toHex(fromHex("00ff10"))).toBe("00ff10");
  expect(sha256OfHex("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
});
