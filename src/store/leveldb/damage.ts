/**
 * What is wrong with the store's files: one finding, and the error that carries findings.
 */

/** One finding. */
export interface Damage {
  /** The file's name within its folder. */
  file: string
  /** The byte where the damage shows; absent when it concerns the whole file. */
  offset?: number
  /** What is wrong, as the end of a sentence that begins with the file's name. */
  what: string
}

/** A finding as a line for people: `000012.log, at byte 4096, has a record with a wrong checksum`. */
export function damageText(damage: Damage): string {
  const place = damage.offset === undefined ? damage.file : `${damage.file}, at byte ${damage.offset},`
  return `${place} ${damage.what}`
}

/** Thrown where a damaged file cannot be used at all. */
export class FilesDamaged extends Error {
  constructor(readonly damage: Damage[]) {
    super(damage.map(damageText).join('; '))
    this.name = 'FilesDamaged'
  }
}
