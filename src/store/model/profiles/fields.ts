/** Fields of profile sets: one row per field. CRDT documents, exports and imports derive from this table; see `events/fields.ts`. */
import { documentRows, mapLine, type DocumentField } from '../fieldTable.js'
import type { Profile } from '../profile.js'

export const profileFields = {
  id: { line: (zod) => zod.string().max(10_000), document: { as: 'none' } },
  keys: { line: mapLine, document: { as: 'map', prefix: 'p:', isRequired: true } },
  modified: { line: (zod) => zod.number(), document: { as: 'number' } },
} satisfies Record<keyof Profile, DocumentField>

/** Fields of the document of a profile set. */
export const profileDocument = documentRows(profileFields, ['modified'])
