/** @jsxImportSource hono/jsx */
/** Latest records of the log since the start of the node. */
import { LEVELS, type LogEntry } from '../../../base/log.js'
import { linkTo } from '../../links.js'
import type { Page } from '../../page.js'
import { machineTime } from '../../times.js'
import { Empty, Tabs } from '../components.js'
import { operatorPage, operatorView } from './operatorPage.js'
import { operatorWords } from './words.js'

const LOG = '/operator/log'
const MAX_LINES = 200

const levels: readonly LogEntry['level'][] = ['debug', 'info', 'warn', 'error']

export const logPage: Page = operatorPage({
  path: LOG,
  show(visit) {
    const { language, timeZone } = visit
    const words = operatorWords[language].log
    const least = levels.find((one) => one === visit.query.get('level')) ?? 'debug'
    const entries = visit.node.recentLog.latest(least, MAX_LINES)
    const time = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium', timeZone })
    const body = (
      <>
        <Tabs label={words.level} tabs={levels.map((one) => ({ text: words.levels[one], href: linkTo(visit, LOG, { level: one }), isCurrent: one === least }))} />
        <p class="small soft">{words.text(MAX_LINES)}</p>
        {entries.length === 0 ? (
          <Empty icon="list" text={words.none} />
        ) : (
          <ol class="log">
            {entries.map(({ time: at, level, message, fields }) => (
              <li>
                <span>
                  <time class="number" datetime={machineTime(at)}>
                    {time.format(at * 1000)}
                  </time>{' '}
                  <span class={LEVELS[level] >= LEVELS.warn ? 'tag bad' : 'tag'}>{level}</span>
                </span>
                <span class="name">{message}</span>
                {fields === '' ? null : <code>{fields}</code>}
              </li>
            ))}
          </ol>
        )}
      </>
    )
    return operatorView(visit, { tab: 'log', body })
  },
})
