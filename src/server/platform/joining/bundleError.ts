/** Errors of reading a join bundle. */

const messages = {
  'too-large': 'The file is too large for a join bundle.',
  'not-a-bundle': 'The file is not a join bundle: it has no line BEGIN COFFER JOIN BUNDLE.',
  damaged: 'The join bundle is damaged: its checksum does not match. Copy it again.',
  'too-new': 'The join bundle was written by a newer version of coffer.',
  'too-old': 'The join bundle has a format that this version of coffer does not read. Create another one with coffer cores add.',
  'wrong-passphrase': 'The passphrase does not open the join bundle.',
  invalid: 'The join bundle is incomplete.',
} as const

export type BundleFault = keyof typeof messages

/** Error: a file cannot be used as a join bundle. */
export class BundleError extends Error {
  constructor(
    readonly fault: BundleFault,
    detail?: string,
  ) {
    super(detail === undefined ? messages[fault] : `${messages[fault].replace(/\.$/, '')}: ${detail}`)
    this.name = 'BundleError'
  }
}
