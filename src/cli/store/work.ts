/** Work on a store as a whole, done by the node that runs or on the closed store, with a bar while it goes on. */
import { existsSync } from 'node:fs'
import type { Context } from '../command.js'
import { numberOf, textOf, type Record_ } from '../node/answer.js'
import { runningNode } from '../node/connect.js'
import type { Door } from '../node/door.js'
import { keyPassphrase } from '../node/keyPassphrase.js'
import { noStore } from '../node/noStore.js'
import { refuseClosedHome } from '../node/place.js'
import type { ToldFailure } from '../output/failure.js'
import { amount } from '../output/words.js'

/** The way to the work. */
export interface StoreWork {
  /** Why what is sealed cannot be read, as it is told, when it cannot. */
  readonly keyProblem: ToldFailure | undefined
  do(name: string, params: Record_): Promise<Record_>
  progress(): Promise<Record_>
  close(): Promise<void>
}

/** Opens the way; a closed store is opened without a node around it, so that a damaged one can be looked at too. */
export async function openStoreWork(context: Context): Promise<StoreWork> {
  const door = await openDoor(context)
  if (door !== undefined) {
    return {
      keyProblem: undefined,
      do: (name, params) => door.call(name, params, {}),
      progress: () => door.call('store.progress', {}, {}),
      close: () => door.close(),
    }
  }
  const { paths, out, commandFor, terminal, env } = context
  if (!existsSync(paths.store)) {
    throw noStore(paths.home, { init: commandFor('init'), repair: commandFor('store', 'repair') })
  }
  out.note(`No node runs; opening the store ${paths.store}`)
  const [{ openClosedStore }, { doWork, workProgress }, { storeProblem }, { toldFailure }] = await Promise.all([
    import('../../server/storeWork/closed.js'),
    import('../../server/storeWork/work.js'),
    import('../node/storeProblem.js'),
    import('../output/failure.js'),
  ])
  const closed = await openClosedStore(paths, keyPassphrase({ terminal, env })).catch((error: unknown) => {
    throw storeProblem(error, paths.home)
  })
  return {
    keyProblem: closed.keyProblem === undefined ? undefined : toldFailure(storeProblem(closed.keyProblem, paths.home), commandFor),
    do: (name, params) => doWork(closed.ground, name, params),
    progress: async () => workProgress(closed.ground),
    close: () => closed.close(),
  }
}

/** The door of a node that runs. */
function openDoor(context: Context): Promise<Door | undefined> {
  if (context.remote !== undefined) return context.connect('unlimited')
  const { paths, flags } = context
  refuseClosedHome(paths.home)
  return runningNode(paths, flags.timeoutMs)
}

const LOOK_EVERY_MS = 250

/** Does one piece of work, with a bar on a terminal. @throws what the work throws. */
export async function workedOn(context: Context, name: string, params: Record_): Promise<Record_> {
  const work = await openStoreWork(context)
  const bar = context.out.progress(name.replace('store.', ''), undefined, amount)
  let shown = 0
  const looking = setInterval(() => {
    void work.progress().then(
      (progress) => {
        const done = numberOf(progress['done']) ?? shown
        if (done > shown) bar.advance(done - shown)
        shown = Math.max(shown, done)
      },
      () => undefined,
    )
  }, LOOK_EVERY_MS)
  try {
    if (work.keyProblem !== undefined) context.out.warn(`${work.keyProblem.message} What is sealed is counted, and not verified.`)
    return await work.do(name, params)
  } finally {
    clearInterval(looking)
    bar.end()
    await work.close()
  }
}

/** `account 3, event c…` with the name of the account in place of its number. */
export function placeOf(problem: Record_): string {
  const user = textOf(problem['user'])
  return user === '' ? textOf(problem['where']) : textOf(problem['where']).replace(/\baccount [0-9a-z]+/, `account ${user}`)
}
