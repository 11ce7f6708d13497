/**
 * Row types of the field tables (`events/fields.ts` and others), with the rows and the functions that they share. A table has
 * one row per field of a resource. Schemas, records, CRDT documents, exports and commands derive from it.
 */
import type * as z from 'zod'
import type { ClientData } from './event.js'
import { isJsonObject } from './json.js'
import { MAX_ID_LENGTH } from './slug.js'

/** The part of zod that schemas use. A parameter: commands and the sync read tables without loading zod. */
export type Zod = Pick<
  typeof z,
  'array' | 'boolean' | 'custom' | 'enum' | 'int' | 'literal' | 'never' | 'number' | 'record' | 'strictObject' | 'string' | 'unknown'
>

export type SchemaOf<T extends z.ZodType = z.ZodType> = (zod: Zod) => T

/**
 * Form of a field in the CRDT document of its item. Concurrent edits of different keys both take effect; of the edits of one key,
 * one wins.
 */
export type DocumentForm =
  /** Not part of the document: derived, or the id of the document. */
  | { as: 'none' }
  /** Finite number, required. */
  | { as: 'number' }
  /** Optional number, or null; 0 counts as absent. */
  | { as: 'duration' }
  /** Text, required. */
  | { as: 'text' }
  /** Text, or absent. */
  | { as: 'optionalText' }
  /** Id of a stream, or null. */
  | { as: 'streamId' }
  /** Boolean, or absent. */
  | { as: 'optionalBoolean' }
  /** True, or absent. */
  | { as: 'flag' }
  /** Part of the JSON text of the key `body`, so that no merge combines the type of one edit with the content of another. */
  | { as: 'body' }
  /** List of unique texts, one key for each member with its position. */
  | { as: 'streamIds' | 'texts'; prefix: string }
  /** List of attached files, one key for each with its position and metadata. */
  | { as: 'files'; prefix: string }
  /** Map of JSON values, one key for each; an empty one counts as absent. `isRequired`: empty, but never absent. */
  | { as: 'map'; prefix: string; isRequired?: true }

/** Field of a document. */
export type DocumentRow = Exclude<DocumentForm, { as: 'none' }> & { name: string }

/** Fields of a kind of document. The fields of the body have one row, that of the first. */
export interface DocumentRows {
  /** In the order in which a new document has their keys: part of the format of changes. */
  written: readonly DocumentRow[]
  /** In the order of the table. */
  read: readonly DocumentRow[]
}

/** Field of a resource: its members of requests, answers and export lines, and its form in a document. */
export interface Field {
  /** Parameter of a creation; `ignored` for fields that clients send back but the node sets. Otherwise unknown to the method. */
  create?: SchemaOf | 'ignored'
  /** Parameter of an update; `protected` for fields that clients send back but cannot change. Otherwise unknown to the method. */
  update?: SchemaOf | 'protected'
  /** Member of answers. Otherwise internal. */
  view?: SchemaOf
  /** Member of the lines of an account export, by which an import validates them. Otherwise not exported. */
  line?: SchemaOf
}

/** Field of a resource whose copies merge as CRDT documents. */
export interface DocumentField extends Field {
  document: DocumentForm
}

/** Returns the schemas of a field that creations and updates take alike. */
export const sent = <T extends z.ZodType>(schema: SchemaOf<T>) => ({ create: schema, update: schema }) as const

/** Names of the fields of a table whose documents have the form `As`. */
export type FieldsAs<T extends Readonly<Record<string, DocumentField>>, As extends DocumentForm['as']> = {
  [K in keyof T]: T[K]['document']['as'] extends As ? K : never
}[keyof T] &
  string

/** Lists the names of a table. */
export const namesOf = <T extends object>(table: T): (keyof T & string)[] => Object.keys(table) as (keyof T & string)[]

/** Lists the fields of a table with a property for which `matches` is true. */
export const fieldsWith = <T extends Readonly<Record<string, object>>, N extends keyof T & string = keyof T & string>(
  table: T,
  matches: (field: T[keyof T], name: string) => boolean,
): N[] => namesOf(table).filter((name) => matches(table[name], name)) as string[] as N[]

/** Orders names: those in `first` come first, in its order. */
export const inOrder = <N extends string>(names: readonly N[], first: readonly NoInfer<N>[]): N[] => {
  const ordered: readonly string[] = [...new Set<string>([...first, ...names])]
  return ordered.filter((name): name is N => (names as readonly string[]).includes(name))
}

/** Returns the fields of the documents of a table. A new document has the keys of those in `first` first. */
export function documentRows<T extends Readonly<Record<string, DocumentField>>>(table: T, first: readonly (keyof T & string)[]): DocumentRows {
  const read: DocumentRow[] = []
  for (const name of namesOf(table)) {
    const form = table[name]?.document
    if (form === undefined || form.as === 'none' || (form.as === 'body' && read.some(({ as }) => as === 'body'))) continue
    read.push({ ...form, name })
  }
  const written = inOrder(read.map(({ name }) => name), first)
  return { read, written: read.toSorted((a, b) => written.indexOf(a.name) - written.indexOf(b.name)) }
}

/** Schema of client data. Not copied: a copy by zod would lose a key named __proto__. */
export const clientDataSchema = (zod: Zod): z.ZodCustom<ClientData, ClientData> =>
  zod.custom<ClientData>(isJsonObject, { error: 'Expected an object.', params: { code: 'INVALID_TYPE' } }).meta({ type: 'object' })

/** Schema of a map in an export line; not copied, as `clientDataSchema`. */
export const mapLine = (zod: Zod): z.ZodCustom<ClientData, ClientData> => zod.custom<ClientData>(isJsonObject, { error: 'Expected an object.' })

/** Schema of the id of an item in an export line. */
export const idLine = (zod: Zod): z.ZodString => zod.string().min(1).max(MAX_ID_LENGTH)

/** Schema of the author of a change in an export line. */
const authorLine = (zod: Zod): z.ZodString => zod.string().min(1).max(300)

/** Fields that the node sets at each change of a resource. */
export const tracking = {
  created: {
    create: 'ignored',
    update: 'protected',
    view: (zod: Zod) => zod.number().describe('Creation time, in seconds since 1970.'),
    line: (zod: Zod) => zod.number(),
    document: { as: 'number' },
  },
  createdBy: {
    create: 'ignored',
    update: 'protected',
    view: (zod: Zod) => zod.string().describe('Id of the access that created it.'),
    line: authorLine,
    document: { as: 'text' },
  },
  modified: {
    create: 'ignored',
    update: 'protected',
    view: (zod: Zod) => zod.number().describe('Time of the last change, in seconds since 1970.'),
    line: (zod: Zod) => zod.number(),
    document: { as: 'number' },
  },
  modifiedBy: {
    create: 'ignored',
    update: 'protected',
    view: (zod: Zod) => zod.string().describe('Id of the access that last changed it.'),
    line: authorLine,
    document: { as: 'text' },
  },
} as const satisfies Record<string, DocumentField>
