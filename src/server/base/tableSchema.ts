/** Builds the schemas of requests, answers and export lines from field tables (store/model/fieldTable.ts). */
import * as z from 'zod'
import { clientDataSchema, inOrder, mapLine, namesOf, type Field, type SchemaOf, type Zod } from '../../store/model/fieldTable.js'
import { ignoredMember, protectedMember } from './readOnlyMembers.js'

// Not all of zod, which a build would then include.
const zod: Zod = {
  array: z.array,
  boolean: z.boolean,
  custom: z.custom,
  enum: z.enum,
  int: z.int,
  literal: z.literal,
  never: z.never,
  number: z.number,
  record: z.record,
  strictObject: z.strictObject,
  string: z.string,
  unknown: z.unknown,
}

/** Client data of an item. */
export const clientData = clientDataSchema(zod)

/** A map in an export line. */
export const Members = mapLine(zod)

type Table = Readonly<Record<string, Field>>
type Use = 'create' | 'update' | 'view' | 'line'

/** Members of the schema for one use of a table's fields. */
type Shape<T extends Table, U extends Use> = {
  [K in keyof T as T[K] extends Record<U, unknown> ? K : never]: T[K] extends Record<U, SchemaOf<infer S>> ? S : typeof ignoredMember
}

/** Returns the members of the schema for one use of a table's fields, in the order of the table; those in `first` come first. */
export function shapeOf<T extends Table, U extends Use>(table: T, use: U, first: readonly (keyof T & string)[] = []): Shape<T, U> {
  const members = inOrder(namesOf(table), first).flatMap((name): [string, z.ZodType][] => {
    const schema = table[name]?.[use]
    if (schema === undefined) return []
    return [[name, schema === 'ignored' ? ignoredMember : schema === 'protected' ? protectedMember : schema(zod)]]
  })
  return Object.fromEntries(members) as Shape<T, U>
}

/** Lists the fields of a table that updates may contain but not change. */
export const protectedFieldsOf = <T extends Table>(table: T, first: readonly (keyof T & string)[] = []): ProtectedField<T>[] =>
  inOrder(namesOf(table), first).filter((name) => table[name]?.update === 'protected') as string[] as ProtectedField<T>[]

type ProtectedField<T extends Table> = { [K in keyof T]: T[K]['update'] extends 'protected' ? K : never }[keyof T] & string
