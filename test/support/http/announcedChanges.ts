/** What a call leaves in the journal: websocket messages and webhooks follow it, so this is what a change announces. */
import type { Stage } from './methodTable.js'

const watched = new WeakMap<Stage, string[]>()

/** Notes from now on what is committed in the stage's account, as `<kind> <action> <id>`. */
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

/** What was committed since `watch`, without what opening accesses notes. */
export const announced = (stage: Stage): string[] =>
  (watched.get(stage) ?? []).filter((entry) => !entry.startsWith('access ') && !entry.startsWith('session '))

/** Everything that was committed since `watch`. */
export const announcedAll = (stage: Stage): string[] => [...(watched.get(stage) ?? [])]
