/** Thrown when a node key is there but cannot be used; `message` says why and what to do. */
export class NodeKeyUnusable extends Error {}

/** Thrown when a node key is behind a passphrase and nobody is there to give it. */
export class PassphraseNeeded extends NodeKeyUnusable {}

/** Thrown when a node key is not where it is to be: a backup may hold it. */
export class NodeKeyLost extends NodeKeyUnusable {}

/** Thrown when the keychain of the system cannot be used; `why` begins small, and `next` is what to do. */
export class KeychainUnusable extends NodeKeyUnusable {
  readonly why: string
  readonly next: string

  constructor(why: string, next: string) {
    super(`No keychain of the system can be used here: ${why}.`)
    this.why = why
    this.next = next
  }
}
