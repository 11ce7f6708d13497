/** Target of maintenance jobs: the store of a running node, or one opened for maintenance. */
import { dirname, join } from 'node:path'
import type { ChainHead } from '../../../store/engine/commit.js'
import type { Database } from '../../../store/engine/database.js'
import { Failure } from '../../../store/model/failure.js'
import type { FormatRecord, OpenedStore } from '../../../store/engine/open.js'
import type { Seal } from '../../../store/keyring/seal.js'
import { accountOfUsername } from '../../../store/accounts/users.js'
import type { Context } from '../../call/context.js'

export interface WorkTarget {
  readonly db: Database
  readonly folder: string
  /** Folder of the attached files. */
  readonly files: string
  readonly format: FormatRecord
  /** Without the node key, encrypted data is counted but not verified. */
  readonly seal?: Seal
  /** Set when nothing writes to the database, and threads may open it. */
  readonly isShared?: true
  /** Returns the latest acknowledged commit. */
  head(): ChainHead
}

/** Progress of a job. */
export interface WorkProgress {
  /** The running job: `check`, `stats`, `compact`. */
  work: string
  done: number
  total?: number
}

export const workTarget = ({ store }: Pick<Context, 'store'>): WorkTarget => ({
  db: store.db,
  folder: store.folder,
  files: store.blobs.folder,
  format: store.format,
  seal: store.seal,
  head: () => store.head,
})

export const workTargetOfOpened = ({ db, folder, format, committer }: OpenedStore, seal?: Seal): WorkTarget => ({
  db,
  folder,
  files: join(dirname(folder), 'files'),
  format,
  ...(seal === undefined ? {} : { seal }),
  head: () => committer.head,
})

/**
 * Returns the prefix of an account.
 * @throws Failure `unknown-user`
 */
export function prefixOf({ db }: WorkTarget, username: string): string {
  const prefix = accountOfUsername(db, username)
  if (prefix === undefined) throw new Failure('unknown-user', `Unknown user "${username}".`)
  return prefix
}
