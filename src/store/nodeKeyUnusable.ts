/** Thrown when a node key is there but cannot be used; `message` says why and what to do. */
export class NodeKeyUnusable extends Error {}

/** Thrown when a node key is behind a passphrase and nobody is there to give it. */
export class PassphraseNeeded extends NodeKeyUnusable {}
