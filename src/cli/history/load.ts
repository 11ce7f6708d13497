/** Reading the versions of an event, and who made them. */
import { TERMINAL } from '../../server/control/terminalCaller.js'
import type { Context } from '../command.js'
import { baseId } from '../client/access.js'
import { listOf, recordOf, textOf } from '../client/answer.js'
import type { Record_ } from '../client/answer.js'
import type { Authority, NodeClient } from '../client/nodeClient.js'
import { versionsOf } from './versions.js'
import type { Version } from './versions.js'

export interface History {
  /** The result of events.getOne. */
  answer: Record_
  versions: Version[]
  /** `changes`: all that the event ever said; `records`: what the interface shows an access, or deletion kept. */
  from: 'changes' | 'records'
}

/**
 * An event with its versions: for the owner, by its changes, and of a deleted event what deletion kept; for an access, what
 * the interface shows it.
 * @throws Failure when there is none, or the access may not read it
 */
export async function historyOf(client: NodeClient, as: Authority, id: string): Promise<History> {
  const answer = await client.call('events.getOne', { id, includeHistory: as.access !== undefined }, as)
  const event = recordOf(answer['event'])
  if (as.access === undefined) {
    const stated = listOf((await client.call('events.versions', { username: as.user, id }, {}))['versions'])
    // The last one is the event as readers get it, with what is made up for them.
    if (stated.length > 0) return { answer, versions: versionsOf([...stated.slice(0, -1), event]), from: event['deleted'] === undefined ? 'changes' : 'records' }
  }
  return { answer, versions: versionsOf([...listOf(answer['history']), event]), from: 'records' }
}

/** How accesses, too, have a history from now on: the setting, as a command. */
export const keepHistoryHint = ({ commandFor }: Context): string =>
  `The interface shows accesses earlier versions while this is set: ${commandFor('config', 'set', 'versioning.forceKeepHistory', 'true')}, then ${commandFor('restart')}`

/**
 * The names of those who changed something, by what `modifiedBy` says; what is not known is named by its id. An access
 * does not see the others: with its rights all are named by their ids.
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
    // Behind the access: whom the client says that it acts for.
    const [id = '', ...caller] = textOf(by).split(' ')
    return [names.get(baseId(id)) ?? id, ...caller].join(' ')
  }
}
