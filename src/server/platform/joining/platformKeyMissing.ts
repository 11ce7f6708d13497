/** Error for settings of a platform of several cores without its key in the store, such as in a home that was created again. */
export class PlatformKeyMissing extends Error {
  constructor() {
    super('The settings of this node make it a core of a platform (platform.etcd), but its store does not contain the key of the platform.')
  }
}
