/** Reading the versions of an event, and who made them. */
import { loadConfig } from '../../server/config.js'
import { TERMINAL } from '../../server/owner.js'
import type { Context } from '../command.js'
import { baseId } from '../node/access.js'
import { listOf, textOf } from '../node/answer.js'
import type { Record_ } from '../node/answer.js'
import type { Authority, Door } from '../node/door.js'
import { versionsOf } from './versions.js'
import type { Version } from './versions.js'

export interface History {
  /** The result of events.getOne. */
  answer: Record_
  versions: Version[]
}

/** An event with its versions. @throws Failure when there is none, or the access may not read it */
export async function historyOf(door: Door, as: Authority, id: string): Promise<History> {
  const answer = await door.call('events.getOne', { id, includeHistory: true }, as)
  return { answer, versions: versionsOf(answer) }
}

/** Whether the settings of this node keep what a change replaces. */
export const keepsHistory = ({ paths, env }: Context): boolean =>
  loadConfig({ file: paths.config, env }).get('versioning.forceKeepHistory')

/** How to have history from now on: the setting, as a command. */
export const keepHistoryHint = ({ commandFor }: Context): string =>
  `Keep the version before each change from now on: ${commandFor('config', 'set', 'versioning.forceKeepHistory', 'true')}, then ${commandFor('restart')}`

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
