/** Journal entries of a call, which websocket messages and webhooks follow: the changes that it announces. */
import type { Stage } from './methodTable.js'

const watched = new WeakMap<Stage, string[]>()

/** Records commits in the stage's account from now on, as `<kind> <action> <id>`. */
export async function watch(stage: Stage): Promise<void> {
  const loaded = await stage.node.node.accounts.find(stage.username)
  if (loaded === undefined) throw new Error(`no user ${stage.username}`)
  const seen: string[] = []
  watched.set(stage, seen)
  stage.node.node.store.follow((entries) => {
    for (const { account, kind, action, id } of entries) {
      if (account === loaded.account.prefix) seen.push(`${kind} ${action} ${id}`)
    }
  })
}

/** Returns the commits since `watch`, without those of opened accesses. */
export const announced = (stage: Stage): string[] =>
  (watched.get(stage) ?? []).filter((entry) => !entry.startsWith('access ') && !entry.startsWith('session '))

/** Returns all commits since `watch`. */
export const announcedAll = (stage: Stage): string[] => [...(watched.get(stage) ?? [])]
