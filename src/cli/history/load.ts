/** Reading the versions of an event, and who made them. */
import { TERMINAL } from '../../server/owner.js'
import type { Context } from '../command.js'
import { baseId } from '../node/access.js'
import { listOf, recordOf, textOf } from '../node/answer.js'
import type { Record_ } from '../node/answer.js'
import type { Authority, Door } from '../node/door.js'
import { versionsOf } from './versions.js'
import type { Version } from './versions.js'

export interface History {
  /** The result of events.getOne. */
  answer: Record_
  versions: Version[]
  /** `changes`: all that the event ever said; `records`: what the node kept for the API. */
  from: 'changes' | 'records'
}

/**
 * An event with its versions: the owner is told what its changes say; an access sees what the API shows it, and of a deleted
 * event that is all there is.
 * @throws Failure when there is none, or the access may not read it
 */
export async function historyOf(door: Door, as: Authority, id: string): Promise<History> {
  const answer = await door.call('events.getOne', { id, includeHistory: true }, as)
  const event = recordOf(answer['event'])
  if (as.access === undefined && event['deleted'] === undefined) {
    const said = listOf((await door.call('events.versions', { username: as.user, id }, {}))['versions'])
    // The last one is the event as readers get it, with what is made up for them.
    if (said.length > 0) return { answer, versions: versionsOf([...said.slice(0, -1), event]), from: 'changes' }
  }
  return { answer, versions: versionsOf([...listOf(answer['history']), event]), from: 'records' }
}

/** How accesses, too, have a history from now on: the setting, as a command. */
export const keepHistoryHint = ({ commandFor }: Context): string =>
  `What accesses are shown is kept while this is set: ${commandFor('config', 'set', 'versioning.forceKeepHistory', 'true')}, then ${commandFor('restart')}`

/**
 * The names of those who changed something, by what `modifiedBy` says; what is not known is named by its id. An access
 * does not see the others: with its rights all are named by their ids.
 */
export async function writers(door: Door, as: Authority): Promise<(by: unknown) => string> {
  const names = new Map([[TERMINAL, 'the terminal']])
  if (as.access === undefined) {
    const all = await door.call('accesses.get', { includeExpired: true, includeDeletions: true }, as)
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
