/** Converts errors of a store repair to messages of a command. */
import { StillDamaged } from '../../../../server/maintenance/repair/repairHome.js'
import { NoSuchPeer } from '../../../../server/maintenance/repair/report.js'
import { OtherHistory } from '../../../../store/repair/draft.js'
import { archiveProblem } from '../../backup/shared/problems.js'
import { CommandError } from '../../../framework/exit.js'

const MAX_SHOWN = 10

/** Returns the CommandError for errors of a repair; other errors unchanged. */
export function repairProblem(error: unknown, home: string): unknown {
  if (error instanceof StillDamaged) {
    const problems = error.problems.slice(0, MAX_SHOWN).map(({ where, what }) => `\n${where} ${what}`)
    return new CommandError(`${error.message}${problems.join('')}`, {
      exit: 13,
      cause: error,
      data: { problems: error.problems },
      hint: 'Nothing was changed. Restore a backup to another home: coffer restore <backup> --home <folder>',
    })
  }
  if (error instanceof OtherHistory) {
    return new CommandError(error.message, { exit: 6, cause: error, hint: ['Choose a backup of this node', 'backup', 'list', '--to', '<folder>'] })
  }
  if (error instanceof NoSuchPeer) return new CommandError(error.message, { exit: 5, cause: error, hint: ['List the peers', 'sync', 'peers', 'list'] })
  return archiveProblem(error, home)
}
