/** A file as the result of a call. */

export interface FileDescription {
  /** Where the bytes lie. */
  path: string
  /** How many bytes there must be. */
  size: number
  /** Media type. */
  type: string
  /** The name to save it by; without one, it is for showing. */
  fileName?: string
  /** SHA-256 of the bytes, hexadecimal. */
  digest?: string
  /** `<algorithm>-<Base64 digest>`, as far as the file carries one. */
  integrity?: string
}

/** HTTP streams the bytes; the control door tells where they lie, to those who may read the node's folder anyway. */
export class FileResult {
  constructor(readonly file: FileDescription) {}

  toJSON(): FileDescription {
    return this.file
  }
}
