/** Maintenance of a whole store with a progress bar, by the running node or on the closed store. */
import { existsSync } from 'node:fs'
import type { Context } from '../../../command.js'
import { runningNode } from '../../../client/runningNode.js'
import { CommandError } from '../../../framework/exit.js'
import type { NodeClient, ParamsOf, ResultOf } from '../../../client/nodeClient.js'
import { interruption, openUnlessInterrupted } from '../../../client/interruption.js'
import { keyPassphrase } from '../../../client/keyPassphrase.js'
import { assertHomeAccessible, noStore } from '../../../client/homeChecks.js'
import type { WorkName } from '../../../../server/maintenance/work/work.js'
import type { DescribedFailure } from '../../../terminal/output/failure.js'
import { amount } from '../../../terminal/output/format.js'

/** Access to the maintenance methods. */
interface StoreWork {
  /** The failure of the node key, when encrypted records cannot be read. */
  readonly keyProblem: DescribedFailure | undefined
  do<N extends WorkName>(name: N, params: ParamsOf<N>): Promise<ResultOf<N>>
  progress(): Promise<ResultOf<'store.progress'>>
  close(): Promise<void>
}

/**
 * Opens the running node, or the closed store without a node around it, so that a damaged store can be examined too.
 */
export async function openStoreWork(context: Context): Promise<StoreWork> {
  const client = await openClient(context)
  if (client !== undefined) {
    return {
      keyProblem: undefined,
      do: (name, params) => client.call(name, params, {}),
      progress: () => client.call('store.progress', {}, {}),
      close: () => client.close(),
    }
  }
  const { paths, out, commandFor, terminal, env } = context
  if (!existsSync(paths.store)) {
    throw noStore(paths.home, { init: commandFor('init'), repair: commandFor('store', 'repair') })
  }
  out.note(`No node is running; opening the store ${paths.store}`)
  const load = async () =>
    Promise.all([
      import('../../../../server/maintenance/work/closed.js'),
      import('../../../../server/maintenance/work/work.js'),
      import('../../../client/storeProblem.js'),
      import('../../../terminal/output/failure.js'),
    ])
  const opening = async () => {
    const [{ openClosedStore }, { doWork, workProgress }, { storeProblem }, { describedFailure }] = await load()
    const closed = await openClosedStore(paths, keyPassphrase({ terminal, env })).catch((error: unknown) => {
      throw storeProblem(error, paths.home)
    })
    return { closed, doWork, workProgress, storeProblem, describedFailure, close: () => closed.close() }
  }
  const { closed, doWork, workProgress, storeProblem, describedFailure } = await openUnlessInterrupted(opening())
  return {
    keyProblem: closed.keyProblem === undefined ? undefined : describedFailure(storeProblem(closed.keyProblem, paths.home), commandFor),
    do: <N extends WorkName>(name: N, params: ParamsOf<N>) => doWork(closed.ground, name, params) as Promise<unknown> as Promise<ResultOf<N>>,
    progress: async () => workProgress(closed.ground),
    close: () => closed.close(),
  }
}

/** Returns the client of the running node, if there is one. */
function openClient(context: Context): Promise<NodeClient | undefined> {
  if (context.remote !== undefined) return context.connect('unlimited')
  const { paths, flags } = context
  assertHomeAccessible(paths.home)
  return runningNode(paths, flags.timeoutMs)
}

const POLL_MS = 250

/** State of the store after Ctrl-C, by method. */
const STOPPED: Readonly<Record<WorkName, string>> = {
  'store.check': 'nothing was changed.',
  'store.stats': 'nothing was changed.',
  'store.format': 'nothing was changed.',
  'store.compact': 'the data is unchanged, and only partly compacted. Run the command again to compact the rest.',
}

/**
 * Runs one maintenance method with a progress bar on a terminal.
 * @throws errors of the method; CommandError 130 on Ctrl-C
 */
export async function runMaintenance<N extends WorkName>(context: Context, name: N, params: ParamsOf<N>): Promise<ResultOf<N>> {
  const work = await openStoreWork(context)
  const bar = context.out.progress(name.replace('store.', ''), undefined, amount)
  let reported = 0
  const timer = setInterval(() => {
    void work.progress().then(
      ({ done = reported }) => {
        if (done > reported) bar.advance(done - reported)
        reported = Math.max(reported, done)
      },
      () => undefined,
    )
  }, POLL_MS)
  const stopping = interruption()
  let running: Promise<ResultOf<N>> | undefined
  try {
    if (work.keyProblem !== undefined) context.out.warn(`${work.keyProblem.message} Encrypted records are counted, but not verified.`)
    running = work.do(name, params)
    const result = await stopping.or(running)
    if (result !== 'interrupted') return result
    throw new CommandError(`Interrupted; ${STOPPED[name]}`, { exit: 130 })
  } finally {
    clearInterval(timer)
    bar.end()
    // After Ctrl-C the process ends before the work does.
    if (stopping.isOver()) void running?.catch(() => undefined).then(() => work.close())
    else await work.close()
    stopping.end()
  }
}

/** Returns the place of a problem with the user name instead of the account number: `account 3, event c…`. */
export const placeOf = ({ where, user }: ResultOf<'store.check'>['problems'][number]): string =>
  user === undefined ? where : where.replace(/\baccount [0-9a-z]+/, `account ${user}`)
