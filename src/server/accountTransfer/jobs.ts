/** Begins imports: a command asks how far one is, and may end it (running.ts); one that nobody asks for goes on to its end. */
import { openArchive } from '../../store/backup/archive.js'
import { WrongPassphrase } from '../../store/keyring/passphraseEncryption.js'
import { ArchiveDamaged, ArchiveUnknown, NoArchive } from '../../store/backup/manifest.js'
import { Failure } from '../../store/model/failure.js'
import type { Secret } from '../../store/model/secret.js'
import type { Node } from '../node.js'
import { importAccount, type ImportOptions } from './importAccount.js'
import { jobsOn, type Job } from './running.js'

const MAX_JOBS = 4

/** Makes room for another import. @throws Failure `too-many-requests` */
export function assertIdle(node: Node): void {
  const all = jobsOn(node)
  for (const [id, { result, error }] of all) {
    if (all.size >= MAX_JOBS && (result !== undefined || error !== undefined)) all.delete(id)
  }
  if (all.size >= MAX_JOBS) throw new Failure('too-many-requests', 'Other accounts are being imported; wait for one of them.')
}

/** What is imported: an archive on this machine, or one that came from another and lies in `folder` for now. */
export interface Imports {
  folder: string
  passphrase: Secret<string>
  /** Removes an archive that came from another machine, once the import is over. */
  remove?(): Promise<void>
}

/** Begins to import the archive in a folder; answers the id of the job. @throws Failure `too-many-requests` */
export function beginImport(node: Node, { folder, passphrase, remove }: Imports, options: ImportOptions): string {
  assertIdle(node)
  const ending = new AbortController()
  const cancelled = new Failure('invalid-operation', 'The import was cancelled; nothing is left of it.')
  const job: Job = { bytes: 0, of: 0, cancel: () => ending.abort(cancelled), over: Promise.resolve() }
  const id = node.newId()
  jobsOn(node).set(id, job)
  job.over = (async () => {
    const archive = await openArchive(folder, () => Promise.resolve(passphrase))
    job.of = archive.manifest.bytes
    job.result = await importAccount(node, archive, {
      ...options,
      signal: ending.signal,
      progress: (bytes) => void (job.bytes += bytes),
    })
  })()
    .catch((error: unknown) => {
      job.error = remove === undefined ? asFailure(error, folder) : asSent(error)
    })
    .finally(() => remove?.())
  return id
}

/** Of what was sent, nobody is told a place on this disk. */
const asSent = (error: unknown): unknown =>
  error instanceof ArchiveDamaged || error instanceof NoArchive
    ? new Failure('corrupted-data', 'What was sent is not whole on the disk of the node.')
    : error

/** What archives throw, as callers of the control door know failures. */
function asFailure(error: unknown, folder: string): unknown {
  if (error instanceof ArchiveDamaged) return new Failure('corrupted-data', error.message)
  if (error instanceof NoArchive) return new Failure('unknown-resource', error.message)
  if (error instanceof ArchiveUnknown) return new Failure('invalid-operation', error.message)
  if (error instanceof WrongPassphrase) return new Failure('invalid-credentials', error.message)
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EACCES' || code === 'EPERM') {
    return new Failure('forbidden', `The node may not read ${folder}: it runs as another user, or is kept from this folder. Stop it, or put the folder where it may read.`)
  }
  return error
}
