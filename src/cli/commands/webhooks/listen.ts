import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import type { ExitCode } from '../../framework/exit.js'
import { numberOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import { followFeed } from '../../client/feed.js'
import { accountOf, userOption } from '../../client/user.js'
import { text, whole } from '../../framework/option.js'
import { clock } from '../../terminal/output/format.js'
import { joinedLine } from '../../terminal/output/text.js'
import { isoTime, timeInLine } from '../../terminal/output/timestamps.js'
import { forwardCall, forwardedLine } from './forward.js'
import { printableAddress, statusWords, webhookNamed } from './webhook.js'

/** `coffer webhooks listen`. */
export const listen = command({
  path: ['webhooks', 'listen'],
  summary: 'Follow webhook calls in real time',
  description:
    'Prints each call with its result until Ctrl-C: time, URL, messages, status, and the time of the next attempt; in a pipe separated by tabs. Earlier calls are not printed: coffer webhooks show lists them.\n\nWith --forward-to, each call is also sent to a second URL, so that you can develop a receiver while the webhook has a different URL.',
  arguments: { webhook: text('Only this webhook, by id or URL', { names: 'webhook' }) },
  options: {
    forwardTo: text('Also send each call to this URL', { placeholder: 'url' }),
    limit: whole('Exit after this many calls', { from: 1 }),
    user: userOption,
  },
  examples: [
    { type: 'coffer webhooks listen', description: 'every call of the account' },
    { type: 'coffer webhooks listen --forward-to http://127.0.0.1:8080/changes', description: 'forward to a server under development' },
    { type: 'coffer webhooks listen --json --limit 1', description: 'the next call, for programs' },
  ],
  json: 'NDJSON: {"event":"delivery","webhookId","accessId","url","messages","status","timestamp","error","nextAttempt","isStopped","meta"}; after it, with --forward-to, {"event":"forwarded","webhookId","url","status","body","error"}',
  offline: false,
  async run({ out, connect, terminal }, { webhook: word, forwardTo, limit, user }): Promise<ExitCode | void> {
    if (forwardTo !== undefined && (!URL.canParse(forwardTo) || !/^https?:$/.test(new URL(forwardTo).protocol))) {
      throw usageError(`--forward-to takes a URL that starts with http:// or https://, not ${JSON.stringify(forwardTo)}`)
    }
    const client = await connect()
    const as = await accountOf(client, user)
    const only = word === undefined ? undefined : (await webhookNamed(client, as, word)).id
    let printed = 0
    return followFeed({ client, out, as }, 'node.webhooks', async (delivery) => {
      if (only !== undefined && delivery['webhookId'] !== only) return undefined
      if (out.json) await out.item(delivery)
      else await out.data(`${out.quiet ? textOf(delivery['webhookId']) : deliveryLine(delivery, terminal.outIsTerminal)}\n`)
      if (forwardTo !== undefined) {
        const answer = await forwardCall(forwardTo, delivery)
        if (out.json) await out.item(answer)
        else if (!out.quiet) await out.line(forwardedLine(answer))
      }
      printed += 1
      return printed === limit ? 'enough' : undefined
    })
  },
})

/** Formats a call: `2026-11-22 10:02:03  https://lab.example.org/changes  eventsChanged  503, again at 10:02:08`. */
function deliveryLine(delivery: Record_, isTerminal: boolean): string {
  const { timestamp, url, messages } = delivery
  const words = Array.isArray(messages) ? messages.map(textOf).join(', ') : ''
  const time = timeInLine(numberOf(timestamp) ?? 0, isTerminal)
  return joinedLine([time, printableAddress(textOf(url)), words, `${outcomeOf(delivery)}${nextWords(delivery, isTerminal)}`], isTerminal)
}

/** Formats the result of a call: `200`, `no answer: refused`, `302: redirect`. */
function outcomeOf({ status, error }: Record_): string {
  const reason = textOf(error)
  const words = statusWords(numberOf(status) ?? 0)
  return reason === '' ? words : `${words}: ${reason}`
}

/** Formats the next step after a failed call. */
function nextWords({ isStopped, nextAttempt }: Record_, isTerminal: boolean): string {
  if (isStopped === true) return ', now inactive'
  const seconds = numberOf(nextAttempt)
  return seconds === undefined ? '' : `, next attempt at ${isTerminal ? clock(seconds) : isoTime(seconds)}`
}
