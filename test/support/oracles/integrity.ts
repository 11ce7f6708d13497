/** Integrity computed from the text of docs/interface/integrity.md, without code of the source. */
import { createHash } from 'node:crypto'

type Json = Record<string, unknown>

const escaped =
  /[\u007f-\u009f\u00ad\u0600-\u0604\u070f\u17b4\u17b5\u200c-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff0-\uffff]/g

function textOf(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'string') {
    return JSON.stringify(value).replace(escaped, (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'))
  }
  if (Array.isArray(value)) return `[${value.map(textOf).join(',')}]`
  if (typeof value !== 'object') return String(value)
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined)
  members.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, member]) => `${textOf(key)}:${textOf(member)}`).join(',')}}`
}

/** Returns the expected integrity of an event in a result. */
export function integrityOf(answered: Json, algorithm = 'sha256'): string {
  const { integrity: _i, tags: _t, streamId: _s, headId: _h, ...event } = answered
  if (event['duration'] === 0) delete event['duration']
  if (event['trashed'] !== true) delete event['trashed']
  if (Array.isArray(event['attachments'])) {
    event['attachments'] = event['attachments'].map(({ readToken: _r, ...file }: Json) => file)
  }
  return `EVENT:0:${algorithm}-${createHash(algorithm).update(textOf(event), 'utf8').digest('base64')}`
}
