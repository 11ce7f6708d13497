/** Doing what keys ask for on the screen of `coffer status --watch`. */
import { listOf, recordOf, textOf } from '../../node/answer.js'
import type { Door } from '../../node/door.js'
import { isInStep, stateWords } from '../../sync/peer.js'
import type { Wish } from './state.js'

/** Less than the command waits for any answer of the node. */
const MEET_S = 8

type Deed = Exclude<Wish, { do: 'leave' } | { do: 'read' }>

/** What is told while it is being done. */
export const doing = (wish: Deed): string => {
  const words = { meet: 'Meeting', activate: 'Starting', pause: 'Pausing', resume: 'Resuming' }
  return `${words[wish.do]} ${wish.name} …`
}

/** Does it, and answers what came of it. */
export async function act(door: Pick<Door, 'call'>, wish: Deed): Promise<string> {
  try {
    return await done(door, wish)
  } catch (error) {
    return `✖ ${error instanceof Error ? error.message : String(error)}`
  }
}

async function done(door: Pick<Door, 'call'>, wish: Deed): Promise<string> {
  if (wish.do === 'activate') {
    await door.call('webhooks.update', { id: wish.id, update: { state: 'active' } }, { user: wish.user })
    return `✔ ${wish.name} is called again.`
  }
  if (wish.do === 'meet') {
    const { peers } = await door.call('sync.now', { username: wish.user, peer: wish.peer, seconds: MEET_S }, {})
    const met = recordOf(listOf(peers)[0])
    return isInStep(met) ? `✔ ${wish.name} is in step.` : `! ${wish.name}: ${textOf(met['reason']) || stateWords(met)}`
  }
  const which = wish.peer === undefined ? {} : { username: wish.user, peer: wish.peer }
  await door.call(`sync.${wish.do}`, which, {})
  return `✔ Sync with ${wish.name} ${wish.do === 'pause' ? 'is paused; p resumes it.' : 'goes on.'}`
}
