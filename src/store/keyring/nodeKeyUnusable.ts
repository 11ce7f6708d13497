/** Error when a node key exists but cannot be used; `message` explains the reason and the remedy. */
export class NodeKeyUnusable extends Error {}

/** Error when a node key is protected by a passphrase that cannot be prompted for. */
export class PassphraseNeeded extends NodeKeyUnusable {}

/** Error when a node key is missing from its storage; a backup may contain it. */
export class NodeKeyLost extends NodeKeyUnusable {}

/** Error when the system keychain cannot be used; `why` begins in lower case, and `next` is the remedy. */
export class KeychainUnusable extends NodeKeyUnusable {
  readonly why: string
  readonly next: string

  constructor(why: string, next: string) {
    super(`The system keychain cannot be used: ${why}.`)
    this.why = why
    this.next = next
  }
}
