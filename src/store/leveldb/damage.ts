/** Damage in the store's files: a finding, and the error that carries findings. */

/** One finding. */
export interface Damage {
  /** The file's name within its folder. */
  file: string
  /** Byte offset of the damage; absent when it concerns the whole file. */
  offset?: number
  /** Description of the damage, as the end of a sentence that begins with the file's name. */
  what: string
}

/** Formats a finding as a line for people: `000012.log, at byte 4096, has a record with a wrong checksum`. */
export function damageText(damage: Damage): string {
  const place = damage.offset === undefined ? damage.file : `${damage.file}, at byte ${damage.offset},`
  return `${place} ${damage.what}`
}

/** Error when a damaged file cannot be used at all. */
export class FilesDamaged extends Error {
  constructor(readonly damage: Damage[]) {
    super(damage.map(damageText).join('; '))
    this.name = 'FilesDamaged'
  }
}
