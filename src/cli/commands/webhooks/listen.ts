import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import type { ExitCode } from '../../framework/exit.js'
import { numberOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import { followFeed } from '../../client/feed.js'
import { accountOf, userOption } from '../../client/user.js'
import { text, whole } from '../../framework/option.js'
import { clock, when } from '../../terminal/output/format.js'
import { forwarded, forwardedLine } from './forward.js'
import { shownAddress, statusWords, webhookNamed } from './webhook.js'

/** `coffer webhooks listen`. */
export const listen = command({
  path: ['webhooks', 'listen'],
  summary: 'Follow the calls of webhooks as they are made',
  description:
    'Prints each call with what came of it, until Ctrl-C: when, to which address, the messages, the status, and when it is tried again.\n\nWith --forward-to, each call is made a second time, to an address of yours, so that you can build what will answer there: the webhook may lead anywhere meanwhile.',
  arguments: { webhook: text('Only this one, by its id or address', { names: 'webhook' }) },
  options: {
    forwardTo: text('Send the same to this address as well', { placeholder: 'url' }),
    limit: whole('End after so many', { from: 1 }),
    user: userOption,
  },
  examples: [
    { type: 'coffer webhooks listen', says: 'every call of the account' },
    { type: 'coffer webhooks listen --forward-to http://127.0.0.1:8080/changes', says: 'and to what you are building' },
    { type: 'coffer webhooks listen --json --limit 1', says: 'for programs: the next call' },
  ],
  json: 'NDJSON: {"event":"delivery","webhookId","accessId","url","messages","status","timestamp","error","nextAttempt","isStopped","meta"}; after it, with --forward-to, {"event":"forwarded","webhookId","url","status","body","error"}',
  offline: false,
  async run({ out, connect }, { webhook: word, forwardTo, limit, user }): Promise<ExitCode | void> {
    if (forwardTo !== undefined && (!URL.canParse(forwardTo) || !/^https?:$/.test(new URL(forwardTo).protocol))) {
      throw usageError(`--forward-to takes an address that begins with http:// or https://, not ${JSON.stringify(forwardTo)}`)
    }
    const client = await connect()
    const as = await accountOf(client, user)
    const only = word === undefined ? undefined : textOf((await webhookNamed(client, as, word))['id'])
    let printed = 0
    return followFeed({ client, out, as }, 'node.webhooks', async (delivery) => {
      if (only !== undefined && delivery['webhookId'] !== only) return undefined
      if (out.json) await out.item(delivery)
      else await out.line(out.quiet ? textOf(delivery['webhookId']) : deliveryLine(delivery))
      if (forwardTo !== undefined) {
        const answer = await forwarded(forwardTo, delivery)
        if (out.json) await out.item(answer)
        else if (!out.quiet) await out.line(forwardedLine(answer))
      }
      printed += 1
      return printed === limit ? 'enough' : undefined
    })
  },
})

/** `2026-11-22 10:02:03  https://lab.example.org/changes  eventsChanged  503, again at 10:02:08`. */
function deliveryLine(delivery: Record_): string {
  const { timestamp, url, messages } = delivery
  const words = Array.isArray(messages) ? messages.map(textOf).join(', ') : ''
  return [when(numberOf(timestamp) ?? 0), shownAddress(url), words, `${outcomeOf(delivery)}${nextWords(delivery)}`].join('  ')
}

/** `200`, `no answer: refused`, `302: redirect`. */
function outcomeOf({ status, error }: Record_): string {
  const reason = textOf(error)
  return reason === '' ? statusWords(status) : `${statusWords(status)}: ${reason}`
}

/** What comes after a call that failed. */
function nextWords({ isStopped, nextAttempt }: Record_): string {
  if (isStopped === true) return ', inactive from now on'
  const seconds = numberOf(nextAttempt)
  return seconds === undefined ? '' : `, again at ${clock(seconds)}`
}
