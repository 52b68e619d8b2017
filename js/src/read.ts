/** Reading: `loads`, `Decoder`, `open` and the values they return. */
export { CODES, type ErrorCode, HoldallError } from "./error.js";
export * from "./values.js";
