/** A file as the result of a call. */

export interface FileDescription {
  /** Path of the file. */
  path: string
  /** Expected size in bytes. */
  size: number
  /** Media type. */
  type: string
  /** File name for downloads; absent for files to display. */
  fileName?: string
  /** SHA-256 of the bytes, hexadecimal. */
  digest?: string
  /** `<algorithm>-<Base64 digest>`, if the file has one. */
  integrity?: string
}

/**
 * A file result. HTTP streams its bytes; the control interface returns the path, for callers with access to the node's folder.
 */
export class FileResult {
  constructor(readonly file: FileDescription) {}

  toJSON(): FileDescription {
    return this.file
  }
}
