/** Loads the versions of an event, and the names of their authors. */
import { TERMINAL } from '../../../../server/dispatch/terminalCaller.js'
import type { Context } from '../../../command.js'
import { baseId } from '../../../client/access.js'
import { listOf, recordOf, textOf } from '../../../client/answer.js'
import type { Record_ } from '../../../client/answer.js'
import type { AccountAuthority, Authority, NodeClient } from '../../../client/nodeClient.js'
import { versionsOf } from './versions.js'
import type { Version } from './versions.js'

export interface History {
  /** The result of events.getOne. */
  answer: Record_
  versions: Version[]
  /**
   * `changes`: the complete history from the CRDT changes; `records`: the versions visible to an access, or kept by a
   * deletion.
   */
  from: 'changes' | 'records'
}

/**
 * Loads an event with its versions: for the owner from its changes, or the rest that a deletion kept; for an access,
 * the versions that the API returns.
 * @throws Failure when there is none, or the access may not read it
 */
export async function historyOf(client: NodeClient, as: AccountAuthority, id: string): Promise<History> {
  const answer = await client.call('events.getOne', { id, includeHistory: as.access !== undefined }, as)
  const event = recordOf(answer['event'])
  if (as.access === undefined) {
    const states = (await client.call('events.versions', { username: as.user, id }, {})).versions
    // Replace the last one by the event as readers get it, with computed fields.
    if (states.length > 0) return { answer, versions: versionsOf([...states.slice(0, -1), event]), from: event['deleted'] === undefined ? 'changes' : 'records' }
  }
  return { answer, versions: versionsOf([...listOf(answer['history']), event]), from: 'records' }
}

/** Returns a hint with the command of the setting that shows the history to accesses. */
export const keepHistoryHint = ({ commandFor }: Context): string =>
  `To let accesses read earlier versions, run: ${commandFor('config', 'set', 'versioning.forceKeepHistory', 'true')}, then ${commandFor('restart')}`

/**
 * Returns a function that names the author in `modifiedBy`; unknown authors are named by id. With the permissions of an
 * access, all authors are named by id.
 */
export async function writers(client: NodeClient, as: Authority): Promise<(by: unknown) => string> {
  const names = new Map([[TERMINAL, 'the terminal']])
  if (as.access === undefined) {
    const all = await client.call('accesses.get', { includeExpired: true, includeDeletions: true }, as)
    for (const access of [...listOf(all['accessDeletions']), ...listOf(all['accesses'])]) {
      const name = textOf(access['name'])
      if (name !== '') names.set(baseId(textOf(access['id'])), name)
    }
  }
  return (by) => {
    // After the access id: the caller that the client declared.
    const [id = '', ...caller] = textOf(by).split(' ')
    return [names.get(baseId(id)) ?? id, ...caller].join(' ')
  }
}
