/** Single columns and rows of messages and streams, in memory or of a source that is read in parts. */
export { type Metadata, open, type SourceView } from "./view/open.js";
export { type FileHandle, fileSource, type Source, type UrlOptions, urlSource } from "./view/source.js";
export { type Row, type Rows, View } from "./view/view.js";
