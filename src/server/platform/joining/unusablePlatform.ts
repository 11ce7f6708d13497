/** Error for settings of a platform of several cores without its key in the store, such as in a home that was created again. */
export class PlatformKeyMissing extends Error {
  constructor() {
    super('The settings of this node make it a core of a platform (platform.etcd), but its store does not contain the key of the platform.')
  }
}

/** Error for a platform that newer cores have converted to a layout of keys and values that this version does not know. */
export class PlatformTooNew extends Error {
  constructor(
    readonly layout: number,
    readonly known: number,
  ) {
    super(`The registry of the platform has layout ${layout}; this version of coffer knows layouts up to ${known}.`)
  }
}
