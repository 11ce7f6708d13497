/** @jsxImportSource hono/jsx */
/** Health of the node: the figures of `coffer status --watch`. */
import type { Child } from 'hono/jsx'
import type { OperatorMethods } from '../../../control/operatorMethods.js'
import { backupState } from '../../../maintenance/latestBackup.js'
import { linkTo } from '../../links.js'
import type { Answer } from '../../page.js'
import { sizeText } from '../../sizes.js'
import { timeText } from '../../times.js'
import { Time } from '../components.js'
import type { ConsoleVisit } from '../consolePage.js'
import { OPERATOR, operate, operatorView } from './operatorPage.js'
import { operatorWords } from './words.js'

type Status = OperatorMethods['node.status']['output']
type Attention = OperatorMethods['node.attention']['output']

/** Interval in seconds of the page that refreshes itself. */
const REFRESH_S = 10
/** Maximum number of peers that are listed. */
const MAX_PEERS = 100
/** Maximum number of accounts for which problems are read with the page: it reads the webhooks of all accounts. */
const MAX_ACCOUNTS = 100

/** Renders the health of the node. */
export async function healthView(visit: ConsoleVisit): Promise<Answer> {
  const words = operatorWords[visit.language].health
  const isRefreshing = visit.query.get('every') !== null
  const status = await operate(visit, 'node.status', {})
  const isChecked = status.accounts <= MAX_ACCOUNTS || visit.query.get('problems') !== null
  const attention = isChecked ? await operate(visit, 'node.attention', {}) : undefined
  const body = (
    <>
      <p class="small soft">
        {words.asOf(timeText(visit.node.clock.now(), visit))}{' '}
        {isRefreshing ? <a href={linkTo(visit, OPERATOR)}>{words.stop}</a> : <a href={linkTo(visit, OPERATOR, { every: '1' })}>{words.refresh(REFRESH_S)}</a>}
      </p>
      <Figures visit={visit} status={status} />
      <h2>{words.problems}</h2>
      {attention === undefined ? <a href={linkTo(visit, OPERATOR, { problems: '1' })}>{words.findProblems}</a> : <Problems texts={await problemTexts(visit, status, attention)} none={words.noProblems} />}
      <h2>{words.peers}</h2>
      <Peers visit={visit} peers={status.peers} />
    </>
  )
  return operatorView(visit, { tab: 'health', body, ...(isRefreshing ? { headers: { Refresh: String(REFRESH_S) } } : {}) })
}

function Figures({ visit, status }: { visit: ConsoleVisit; status: Status }) {
  const words = operatorWords[visit.language].health
  const { lastMinute, disk } = status
  const number = (value: number): string => value.toLocaleString(visit.language)
  const ms = (value: number | null): string => (value === null ? '–' : words.ms(number(value)))
  const size = (bytes: number): string => sizeText(bytes, visit.language)
  return (
    <div class="cards">
      <Facts
        title={words.node}
        rows={[
          [words.state, <span class={status.state === 'writable' ? 'tag good' : 'tag bad'}>{words.states[status.state]}</span>],
          [words.version, status.version],
          [words.started, <Time visit={visit} at={visit.node.clock.now() - status.uptimeSeconds} />],
          [words.address, status.url],
        ]}
      />
      <Facts
        title={words.lastMinute}
        rows={[
          [words.calls, number(lastMinute.calls)],
          [words.failed, number(lastMinute.failed)],
          [words.refused, number(lastMinute.refused)],
          [words.median, ms(lastMinute.p50)],
          [words.slowest, ms(lastMinute.p99)],
        ]}
      />
      <Facts
        title={words.store}
        rows={[
          [words.accounts, number(status.accounts)],
          [words.commits, number(status.commits)],
          [words.size, size(disk.storeBytes)],
          [words.free, size(disk.freeBytes)],
          [words.memory, size(status.memoryBytes)],
        ]}
      />
    </div>
  )
}

function Facts({ title, rows }: { title: string; rows: readonly (readonly [string, Child])[] }) {
  return (
    <section class="card">
      <h2>{title}</h2>
      <dl class="facts">
        {rows.map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd class="name">{value}</dd>
          </>
        ))}
      </dl>
    </section>
  )
}

/** Lists what needs the operator, in words. */
async function problemTexts(visit: ConsoleVisit, { state, certificate }: Status, { stoppedWebhooks, repaired, damage }: Attention): Promise<string[]> {
  const words = operatorWords[visit.language].health
  const { isConfigured, latest, isLate } = await backupState(visit.node)
  const days = certificate?.daysUntilExpiry ?? undefined
  return [
    ...(state === 'writable' ? [] : [words.stateProblem[state]]),
    ...(damage === null ? [] : [words.damage(damage.found, timeText(damage.at, visit))]),
    ...(isConfigured ? (isLate ? [latest === undefined ? words.backupNone : words.backupLate(timeText(latest, visit))] : []) : [words.backupOff]),
    ...(days !== undefined && days < 14 ? [words.certificate(days)] : []),
    ...stoppedWebhooks.map(({ user, host }) => words.webhook(user, host)),
    ...repaired.map(({ user, names, places }) => words.repaired(user, names + places)),
  ]
}

function Problems({ texts, none }: { texts: readonly string[]; none: string }) {
  if (texts.length === 0) return <p class="soft">{none}</p>
  return (
    <ul class="rows">
      {texts.map((text) => (
        <li dir="auto">{text}</li>
      ))}
    </ul>
  )
}

function Peers({ visit, peers }: { visit: ConsoleVisit; peers: Status['peers'] }) {
  const words = operatorWords[visit.language].health
  if (peers.length === 0) return <p class="soft">{words.noPeers}</p>
  return (
    <>
      <div class="framed" tabindex={0} role="region" aria-label={words.peers}>
        <table class="plain-table">
          <thead>
            <tr>
              <th scope="col">{words.peer}</th>
              <th scope="col">{words.account}</th>
              <th scope="col">{words.state}</th>
              <th scope="col">{words.contact}</th>
            </tr>
          </thead>
          <tbody>
            {peers.slice(0, MAX_PEERS).map(({ name, user, state, paused, lastContact }) => (
              <tr>
                <th scope="row" dir="auto">
                  {name}
                </th>
                <td class="name">{user}</td>
                <td>{paused ? words.paused : words.peerStates[state]}</td>
                <td>{lastContact === null ? words.never : <Time visit={visit} at={lastContact} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {peers.length > MAX_PEERS ? <p class="small soft">{words.morePeers(peers.length - MAX_PEERS)}</p> : null}
    </>
  )
}
