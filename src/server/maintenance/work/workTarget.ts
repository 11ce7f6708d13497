/** What work on a store as a whole stands on: the store of a node that runs, or one that was opened for it alone. */
import { dirname, join } from 'node:path'
import type { ChainHead } from '../../../store/engine/commit.js'
import type { Database } from '../../../store/engine/database.js'
import { Failure } from '../../../store/model/failure.js'
import type { FormatRecord, OpenedStore } from '../../../store/engine/open.js'
import type { Seal } from '../../../store/keyring/seal.js'
import { accountOfUsername } from '../../../store/accounts/users.js'
import type { Node } from '../../node.js'

export interface WorkTarget {
  readonly db: Database
  readonly folder: string
  /** Folder of the attached files. */
  readonly files: string
  readonly format: FormatRecord
  /** Without the node key, what is sealed is counted and not verified. */
  readonly seal?: Seal
  /** The latest commit that was acknowledged. */
  head(): ChainHead
}

/** How far work has come, for whoever waits for it. */
export interface WorkProgress {
  /** What is being done: `check`, `stats`, `compact`. */
  work: string
  done: number
  total?: number
}

export const workTarget = ({ store }: Pick<Node, 'store'>): WorkTarget => ({
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

/** The prefix of the account that is meant. @throws Failure `unknown-user` */
export function prefixOf({ db }: WorkTarget, username: string): string {
  const prefix = accountOfUsername(db, username)
  if (prefix === undefined) throw new Failure('unknown-user', `Unknown user "${username}".`)
  return prefix
}
