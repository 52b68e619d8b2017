/** The package: everything that reads and writes. */
export * from "./read.js";
