/** Single columns and rows of messages and streams, in memory or of a source that is read in parts. */
export { type Metadata, open, type SourceView } from "./view/open.js";
export type { Row, Rows } from "./view/rows.js";
export { type FileHandle, fileSource, type Source, type UrlOptions, urlSource } from "./view/source.js";
export { View } from "./view/view.js";
