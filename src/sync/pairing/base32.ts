/** Digits and letters for texts that people read and type: without I, L, O and U, which are mistaken for others. */

export const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Converts typed text to capitals without separators, O to 0, and I and L to 1. Other characters stay. */
export const canonicalBase32 = (text: string): string =>
  text.toUpperCase().replace(/[\s\-.:_]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1')
