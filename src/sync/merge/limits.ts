/** Limits of one entry, checked by sender and receiver alike. */

/** Maximum bytes of a group before compression. */
export const MAX_GROUP_BYTES = 16 * 1024 * 1024
/** Bytes of a group besides a single entry: ids, lengths, its feed position. */
const GROUP_SLACK = 512 * 1024
/** Maximum bytes of one entry, and so of one change. */
export const MAX_ENTRY_BYTES = MAX_GROUP_BYTES - GROUP_SLACK
/** Maximum number of fields that one entry sets: reading them blocks other work. */
export const MAX_OPERATIONS = 100_000
