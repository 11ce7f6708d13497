/** Limits of one entry, which its sender and its receiver check alike. */

/** Bytes of a group before compression, at most. */
export const MAX_GROUP_BYTES = 16 * 1024 * 1024
/** What a group may take beside a single entry: ids, lengths, its place in the feed. */
const GROUP_SLACK = 512 * 1024
/** Bytes of one entry, and so of one change, at most. */
export const MAX_ENTRY_BYTES = MAX_GROUP_BYTES - GROUP_SLACK
/** Fields that one entry sets, at most: reading them keeps everybody waiting. */
export const MAX_OPERATIONS = 100_000
