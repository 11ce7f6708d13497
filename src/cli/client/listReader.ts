/** Parses one list of a JSON response incrementally, so that long lists are never in memory at once. */

interface ListReader {
  /** Returns the items of the list completed by this chunk, as JSON texts. */
  feed(chunk: Buffer): string[]
  /** True when the response is complete. */
  ended(): boolean
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** Creates a reader of the items of member `list` in a JSON object; skips other members. */
export function createListReader(list: string): ListReader {
  /** Unprocessed bytes: an incomplete item or member name. */
  let buffered: Buffer = Buffer.alloc(0)
  let depth = 0
  let inText = false
  let isEscaped = false
  /** Offset of the current member name or item; -1 when neither is needed. */
  let start = -1
  let name = ''
  let isNaming = true
  let inList = false
  let isOver = false

  return {
    ended: () => isOver,
    feed(chunk) {
      const from = buffered.length
      const bytes = from === 0 ? chunk : Buffer.concat([buffered, chunk])
      const items: string[] = []
      for (let at = from; at < bytes.length; at++) {
        const byte = bytes[at] ?? 0
        if (inText) {
          if (isEscaped) isEscaped = false
          else if (byte === BACKSLASH) isEscaped = true
          else if (byte === QUOTE) {
            inText = false
            if (depth !== 1 || !isNaming || start < 0) continue
            name = String(JSON.parse(bytes.toString('utf8', start, at + 1)))
            start = -1
          }
          continue
        }
        if (byte <= 0x20) continue
        const closesList = inList && depth === 2 && byte === CLOSE_LIST
        if (start >= 0 && (closesList || (inList && depth === 2 && byte === COMMA))) {
          items.push(bytes.toString('utf8', start, at).trimEnd())
          start = -1
        }
        if (inList && depth === 2 && start < 0 && byte !== COMMA && !closesList) start = at
        if (byte === QUOTE) {
          inText = true
          if (depth === 1 && isNaming) start = at
        } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
          if (depth === 1 && byte === OPEN_LIST && name === list) inList = true
          depth += 1
        } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
          if (closesList) inList = false
          depth -= 1
          isOver = depth === 0
        } else if (depth === 1 && byte === COLON) isNaming = false
        else if (depth === 1 && byte === COMMA) isNaming = true
      }
      buffered = start < 0 ? Buffer.alloc(0) : bytes.subarray(start)
      if (start > 0) start = 0
      return items
    },
  }
}
