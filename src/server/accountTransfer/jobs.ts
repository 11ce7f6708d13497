/** Starts imports as jobs: a command polls one and may cancel it (running.ts); without polling it runs to its end. */
import { openArchive } from '../../store/backup/archive.js'
import { WrongPassphrase } from '../../store/keyring/passphraseEncryption.js'
import { ArchiveDamaged, ArchiveUnknown, NoArchive } from '../../store/backup/manifest.js'
import { Failure } from '../../store/model/failure.js'
import type { Secret } from '../../store/model/secret.js'
import type { Context } from '../call/context.js'
import { importAccount } from './importAccount.js'
import type { ImportOptions } from './importContext.js'
import { jobsOn, type Job } from './running.js'

const MAX_JOBS = 4

/** Checks for a free import slot. @throws Failure `too-many-requests` */
export function assertIdle(node: Context): void {
  const all = jobsOn(node)
  for (const [id, { result, error }] of all) {
    if (all.size >= MAX_JOBS && (result !== undefined || error !== undefined)) all.delete(id)
  }
  if (all.size >= MAX_JOBS) throw new Failure('too-many-requests', 'Too many imports are running; wait until one ends.')
}

/** Source of an import: a local archive, or an uploaded one in the temporary `folder`. */
interface Imports {
  folder: string
  passphrase: Secret<string>
  /** Removes an uploaded archive after the import. */
  remove?(): Promise<void>
}

/** Starts the import of the archive in a folder; returns the job id. @throws Failure `too-many-requests` */
export function beginImport(node: Context, { folder, passphrase, remove }: Imports, options: ImportOptions): string {
  assertIdle(node)
  const ending = new AbortController()
  const cancelled = new Failure('invalid-operation', 'The import was cancelled; nothing was changed.')
  const job: Job = { bytes: 0, of: 0, cancel: () => ending.abort(cancelled), ended: Promise.resolve() }
  const id = node.newId()
  jobsOn(node).set(id, job)
  job.ended = (async () => {
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

/** Hides local paths from errors of uploaded archives. */
const asSent = (error: unknown): unknown =>
  error instanceof ArchiveDamaged || error instanceof NoArchive
    ? new Failure('corrupted-data', 'The uploaded archive is incomplete on the disk of the node.')
    : error

/** Converts errors of archives to failures for callers of the control socket. */
function asFailure(error: unknown, folder: string): unknown {
  if (error instanceof ArchiveDamaged) return new Failure('corrupted-data', error.message)
  if (error instanceof NoArchive) return new Failure('unknown-resource', error.message)
  if (error instanceof ArchiveUnknown) return new Failure('invalid-operation', error.message)
  if (error instanceof WrongPassphrase) return new Failure('invalid-credentials', error.message)
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EACCES' || code === 'EPERM') {
    return new Failure('forbidden', `Permission denied: the node cannot read ${folder}. Stop the node, or move the folder to a place that it can read.`)
  }
  return error
}
