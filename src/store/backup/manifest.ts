/**
 * What an archive says of itself, in `manifest.json`: readable without a passphrase, and naming nobody. An archive is a
 * folder: the manifest, an index of its members, and the members, each in a file of its own under `members`.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import * as z from 'zod'
import { Sealing } from '../keyring/passphraseEncryption.js'

/** How many things of each kind: `users`, `streams`, `events`, … */
export type Counts = Record<string, number>

/** Nouns whose count differs from the request: marked as differences, and decisive for exit codes. */
export const differing = (input: Readonly<Counts>, restored: Readonly<Counts>): string[] =>
  Object.keys({ ...input, ...restored }).filter((noun) => (input[noun] ?? 0) !== (restored[noun] ?? 0))

const Facts = z.object({
  archive: z.literal('coffer'),
  version: z.number().int(),
  kind: z.enum(['node', 'account']),
  name: z.string(),
  /** Seconds since the epoch. */
  made: z.number(),
  /** Version of coffer that made it. */
  product: z.string(),
  /** Id of the node. */
  node: z.string(),
  /** Format of the store that it was made of. */
  format: z.number().int(),
  /** How far the chain of commits had come: the number of the last one, and its hash. */
  position: z.object({ commit: z.number().int(), hash: z.string() }),
  /** Name of the archive beside this one whose unchanged members it took over. */
  base: z.string().optional(),
  /** The moment, as the store remembers it (createChangedKeySet.ts): what was written since is all that the next one must read. */
  mark: z.string().optional(),
  /** When all entries were read for the last time, for this archive or one that it goes back to. Seconds since the epoch. */
  readAll: z.number().optional(),
  counts: z.record(z.string(), z.number()),
  /** Bytes of all members as they are, as they lie in the archive, and of those that no former archive had. */
  bytes: z.number(),
  storedBytes: z.number(),
  newBytes: z.number(),
  members: z.number().int(),
  /** The index of members: SHA-256 of what it says, and its length. */
  index: z.object({ digest: z.string(), bytes: z.number().int(), stored: z.number().int() }),
  sealing: Sealing.optional(),
})

export type ManifestFacts = z.output<typeof Facts>

/** The shape of what the maker of any archive tells of it; other members are left out. */
export const ArchiveFacts = Facts.pick({ kind: true, made: true, product: true, node: true, format: true, position: true, counts: true })

/** What only the maker of an archive knows; `mark` and `readAll` are those of whole nodes. */
export type MakerFacts = z.output<typeof ArchiveFacts> & Pick<ManifestFacts, 'mark' | 'readAll'>

/** `proof` is the SHA-256 of the rest, keyed when the archive is sealed. */
export type Manifest = ManifestFacts & { proof: string }

export const MANIFEST = 'manifest.json'
export const ARCHIVE_VERSION = 1

/** Thrown when a folder is no archive, or not a whole one. */
export class NoArchive extends Error {}

/** Thrown when an archive was written by a newer coffer. */
export class ArchiveUnknown extends Error {}

/** Thrown when an archive does not hold what it says; `what` names it. */
export class ArchiveDamaged extends Error {
  constructor(
    readonly folder: string,
    readonly what: string,
  ) {
    super(`The archive ${folder} is damaged: ${what}.`)
  }
}

/** Reads the manifest of an archive; its proof is checked when the archive is opened. */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') throw new NoArchive(`There is no archive in ${folder}.`)
    throw error
  })
  let declared: unknown
  try {
    declared = JSON.parse(text)
  } catch {
    throw new ArchiveDamaged(folder, `${MANIFEST} cannot be read`)
  }
  const { archive, version } = Object(declared) as { archive?: unknown; version?: unknown }
  if (archive !== 'coffer') throw new NoArchive(`There is no archive of coffer in ${folder}.`)
  if (typeof version === 'number' && version > ARCHIVE_VERSION) {
    throw new ArchiveUnknown(`The archive ${folder} has version ${version}; this coffer knows up to ${ARCHIVE_VERSION}. Use a newer coffer.`)
  }
  const manifest = Facts.extend({ proof: z.string() }).safeParse(declared)
  if (!manifest.success) throw new ArchiveDamaged(folder, `${MANIFEST} lacks ${manifest.error.issues[0]?.path.join('.') ?? 'something'}`)
  return { ...manifest.data, name: basename(folder) }
}

/** The manifest with its proof; `key` is that of a sealed archive. The name is left out: a folder may be renamed. */
export function proved(facts: ManifestFacts, key: Uint8Array | undefined): Manifest {
  return { ...facts, proof: proofOf(facts, key) }
}

/** Whether a manifest is as it was written. */
export function isProved({ proof, ...facts }: Manifest, key: Uint8Array | undefined): boolean {
  const [declared, due] = [Buffer.from(proof), Buffer.from(proofOf(facts, key))]
  return declared.length === due.length && timingSafeEqual(declared, due)
}

function proofOf(facts: ManifestFacts, key: Uint8Array | undefined): string {
  const text = JSON.stringify(sorted({ ...Facts.parse(facts), name: '' }))
  const hash = key === undefined ? createHash('sha256') : createHmac('sha256', key)
  return hash.update(text).digest('hex')
}

/** The same value with the keys of its objects in order. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  )
}
