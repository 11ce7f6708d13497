/** Limits of one entry, checked by sender and receiver alike. */
import type { Register } from '../../store/model/profileRegisters.js'

/** Maximum bytes of a group before compression. */
export const MAX_GROUP_BYTES = 16 * 1024 * 1024
/** Bytes of a group besides a single entry: ids, lengths, its feed position. */
const GROUP_SLACK = 512 * 1024
/** Maximum bytes of one entry, and so of one change. */
export const MAX_ENTRY_BYTES = MAX_GROUP_BYTES - GROUP_SLACK
/** Bytes of a register besides its key and value. */
const REGISTER_BYTES = 32

/** Returns the approximate bytes of a register of a profile set. */
export const registerBytes = (register: Register): number =>
  REGISTER_BYTES + ('key' in register ? Buffer.byteLength(register.key) + Buffer.byteLength(register.text) : register.removed.length)

/** Maximum number of fields that one entry sets: reading them blocks other work. */
export const MAX_OPERATIONS = 100_000
