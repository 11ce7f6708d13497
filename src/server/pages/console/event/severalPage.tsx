/** @jsxImportSource hono/jsx */
/** Page that adds several events at once from a pasted table, with a preview before they are saved. */
import { createHash, randomBytes } from 'node:crypto'
import { isJsonObject } from '../../../../store/model/json.js'
import { create } from '../../../api/events/create.js'
import { callBatch } from '../../../dispatch/callBatch.js'
import { fieldName, valueText } from '../../events/eventValue.js'
import { Form } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Answer, Page, PageContent, PagesContext } from '../../page.js'
import { problemOf, problemWith, type Problem } from '../../problem.js'
import { readAsOwner } from '../../session.js'
import { timeText } from '../../times.js'
import { Done } from '../components.js'
import { consolePage, redirectTo, type ConsoleFormVisit, type ConsoleVisit } from '../consolePage.js'
import { chosenStreams, isSearching, StreamPicker } from '../streamPicker.js'
import { loadStreams } from '../streams.js'
import { eventStyle } from './eventAssets.js'
import { contentFormOf, type ContentForm } from './contentForm.js'
import { isTypeName, typeOfForm } from './entry.js'
import { commonKinds } from './kinds.js'
import { severalWords } from './severalWords.js'
import { MAX_ROWS, readTable, type Table, type TableRow } from './table.js'

const SEVERAL_PATH = '/event/several'
/** Maximum number of rows in the preview; refused ones come first. */
const MAX_SHOWN = 50
/** Maximum number of refused lines whose reasons are listed. */
const MAX_REASONS = 50
const MAX_TEXT = 100_000
const BATCH_ID = /^[\w-]{16,40}$/

const batch = callBatch<PagesContext>(() => [create])

export const severalPage: Page = consolePage({
  path: SEVERAL_PATH,
  section: 'data',
  maxFormMb: 0.25,
  show: (visit) => formOf(visit, typedIn(visit.query)),
  submit: (submission) => handle(submission),
})

interface Typed {
  type: string
  stream: string
  rows: string
  find: string
  /** Random id of this table: lines that were saved before are not saved twice. */
  batch: string
}

function typedIn(query: URLSearchParams): Typed {
  return { type: typeOfForm(query) || 'mass/kg', stream: query.get('stream') ?? '', rows: '', find: '', batch: newBatch() }
}

const newBatch = (): string => randomBytes(18).toString('base64url')

interface State {
  table?: Table
  problem?: Problem
  reasons?: readonly string[]
}

async function formOf(visit: ConsoleVisit, typed: Typed, { table, problem, reasons = [] }: State = {}): Promise<PageContent> {
  const { language, query } = visit
  const words = severalWords[language]
  const streams = await loadStreams(visit)
  const form = contentFormOf(visit.node, typed.type)
  const saved = Number(query.get('count'))
  const isDone = query.get('done') === 'saved' && Number.isSafeInteger(saved) && saved > 0
  const body = (
    <>
      {isDone && table === undefined && problem === undefined ? <Saved visit={visit} count={saved} stream={typed.stream} /> : null}
      <p>{words.intro}</p>
      <div class="entry-form">
        <Form visit={visit} path={SEVERAL_PATH} problem={problem}>
          <Reasons reasons={reasons} />
          <input type="hidden" name="batch" value={typed.batch} />
          <StreamPicker visit={visit} streams={streams} name="stream" legend={words.stream} selected={typed.stream === '' ? [] : [typed.stream]} find={typed.find} />
          <label for="type">{words.type}</label>
          <input id="type" name="type" list="types" value={typed.type} required maxlength={200} autocomplete="off" spellcheck={false} aria-describedby="type-hint" />
          <p class="hint" id="type-hint">
            {words.typeHint}
          </p>
          <datalist id="types">
            {commonKinds.map(({ type, name }) => (
              <option value={type}>{name[language]}</option>
            ))}
          </datalist>
          <label for="rows">{words.rows}</label>
          <textarea id="rows" name="rows" class="code" rows={10} maxlength={MAX_TEXT} spellcheck={false} required aria-describedby="rows-hint" placeholder={'2026-11-26 08:00;72.4\n2026-11-27 08:00;72.1'}>
            {`\n${typed.rows}`}
          </textarea>
          <p class="hint" id="rows-hint">
            {words.rowsHint(columnsOf(form, language).join(', '), MAX_ROWS)}
          </p>
          {table === undefined ? null : <Preview visit={visit} type={typed.type} table={table} />}
          <Buttons visit={visit} table={table} />
        </Form>
      </div>
    </>
  )
  return { title: words.title, body, assets: [eventStyle], status: problem?.status ?? 200 }
}

function Saved({ visit, count, stream }: { visit: ConsoleVisit; count: number; stream: string }) {
  const words = severalWords[visit.language]
  return (
    <>
      <Done text={words.done(count)} />
      <p class="buttons">
        <a class="button second" href={linkTo(visit, '/data', { stream })}>
          {words.toStream}
        </a>
        <a class="button second" href={linkTo(visit, '/charts', { stream })}>
          {words.toChart}
        </a>
      </p>
    </>
  )
}

const Reasons = ({ reasons }: { reasons: readonly string[] }) =>
  reasons.length === 0 ? (
    <></>
  ) : (
    <ul class="small">
      {reasons.map((reason) => (
        <li dir="auto">{reason}</li>
      ))}
    </ul>
  )

function Buttons({ visit, table }: { visit: ConsoleVisit; table: Table | undefined }) {
  const words = severalWords[visit.language]
  const count = validRows(table).length
  return (
    <div class="buttons">
      {count === 0 ? null : (
        <button name="save" value="yes">
          {words.save(count)}
        </button>
      )}
      <button class={count === 0 ? '' : 'second'} name="preview" value="yes">
        {words.preview}
      </button>
    </div>
  )
}

const validRows = (table: Table | undefined): TableRow[] => (table?.rows ?? []).filter(({ values }) => values !== undefined)

function columnsOf(form: ContentForm, language: ConsoleVisit['language']): string[] {
  const words = severalWords[language]
  const values = form.kind === 'object' ? form.members.map(({ name }) => fieldName(name)) : form.kind === 'none' ? [] : [words.value]
  return [words.time, ...values, words.description]
}

function Preview({ visit, type, table }: { visit: ConsoleVisit; type: string; table: Table }) {
  const words = severalWords[visit.language]
  const { rows, hasHeading, isShortened } = table
  const bad = rows.filter(({ values }) => values === undefined)
  const shown = [...bad, ...validRows(table)].slice(0, MAX_SHOWN)
  return (
    <section aria-labelledby="preview">
      <h2 id="preview">{words.previewTitle}</h2>
      <p>{words.summary(rows.length - bad.length, bad.length)}</p>
      {hasHeading ? <p class="small soft">{words.heading}</p> : null}
      {isShortened ? <p class="note">{words.shortened(MAX_ROWS)}</p> : null}
      <div class="scroll" tabindex={0} role="group" aria-label={words.rows}>
        <table class="paste">
          <thead>
            <tr>
              <th scope="col">{words.line}</th>
              <th scope="col">{words.time}</th>
              <th scope="col">{words.value}</th>
              <th scope="col">{words.description}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <PreviewRow visit={visit} type={type} row={row} />
            ))}
          </tbody>
        </table>
      </div>
      {shown.length < rows.length ? <p class="small soft">{words.shown(shown.length, rows.length)}</p> : null}
    </section>
  )
}

function PreviewRow({ visit, type, row: { line, text, values, problem } }: { visit: ConsoleVisit; type: string; row: TableRow }) {
  const words = severalWords[visit.language]
  if (values === undefined) {
    return (
      <tr class="refused">
        <td>{line}</td>
        <td colspan={3}>
          <code dir="auto">{text.slice(0, 200)}</code>
          <br />
          {words.refusedLine}: {words.problems[problem ?? 'value']}
        </td>
      </tr>
    )
  }
  return (
    <tr>
      <td>{line}</td>
      <td>{timeText(values.time, visit)}</td>
      <td dir="auto">{valueText({ type, content: values.content }, visit)}</td>
      <td dir="auto">{values.description ?? ''}</td>
    </tr>
  )
}

async function handle(submission: ConsoleFormVisit): Promise<Answer> {
  const { form, language, node } = submission
  const words = severalWords[language]
  const given = form.get('batch') ?? ''
  const [stream = ''] = chosenStreams(form, 'stream')
  const typed: Typed = {
    ...typedIn(form),
    stream,
    rows: (form.get('rows') ?? '').slice(0, MAX_TEXT),
    find: form.get('find') ?? '',
    ...(BATCH_ID.test(given) ? { batch: given } : {}),
  }
  if (isSearching(form)) return formOf(submission, typed)
  if (!isTypeName(typed.type)) return formOf(submission, { ...typed, type: 'mass/kg' }, { problem: problemWith(words.wrongType, 'type') })
  const contentForm = contentFormOf(node, typed.type)
  if (['json', 'file', 'closed'].includes(contentForm.kind)) return formOf(submission, typed, { problem: problemWith(words.wrongType, 'type') })
  const table = readTable(typed.rows, contentForm, submission)
  if (table.rows.length === 0) return formOf(submission, typed, { problem: problemWith(words.rowsMissing) })
  if (stream === '') return formOf(submission, typed, { table, problem: problemWith(words.streamMissing) })
  if (!form.has('save') || validRows(table).length === 0) return formOf(submission, typed, { table })
  try {
    return await save(submission, typed, table)
  } catch (error) {
    return formOf(submission, typed, { table, problem: problemOf(submission, error) })
  }
}

/** Creates the events of the valid rows in one batch; refused rows stay in the form, with their reasons. */
async function save(submission: ConsoleFormVisit, typed: Typed, table: Table): Promise<Answer> {
  const { session, language } = submission
  const words = severalWords[language]
  const { type, stream } = typed
  const rows = validRows(table)
  const calls = rows.map((row) => ({ method: create.id, params: { id: idOf(typed, row), type, streamIds: [stream], ...row.values } }))
  const { results } = (await readAsOwner(submission, session, batch, calls)) as { results: unknown[] }
  const reasons = new Map<TableRow, string>()
  for (const row of table.rows) if (row.values === undefined) reasons.set(row, words.problems[row.problem ?? 'value'])
  for (const [at, row] of rows.entries()) {
    const reason = refusalIn(results[at])
    if (reason !== undefined) reasons.set(row, reason)
  }
  const created = table.rows.length - reasons.size
  if (reasons.size === 0 && !table.isShortened) return redirectTo(submission, SEVERAL_PATH, { stream, type, done: 'saved', count: String(created) })
  const rest = [...reasons.keys()].sort((a, b) => a.line - b.line)
  const left = [...rest.map(({ text }) => text), ...linesAfter(typed.rows, table)]
  return formOf(submission, { ...typed, rows: left.join('\n'), batch: newBatch() }, {
    problem: problemWith(words.partly(created, reasons.size)),
    reasons: rest.slice(0, MAX_REASONS).map((row) => words.reason(row.line, reasons.get(row) ?? '')),
  })
}

/** Returns the lines that the limit left out. */
function linesAfter(text: string, { rows, isShortened }: Table): string[] {
  if (!isShortened) return []
  const last = rows.at(-1)
  const read = last === undefined ? 0 : last.line - 1 + last.text.split('\n').length
  return text.split(/\r\n|\r|\n/).slice(read)
}

/** Returns the id of the event of a row: the same if the form is sent again, so that no row is saved twice. */
const idOf = ({ batch: id, type, stream }: Typed, { line, text }: TableRow): string =>
  `c${createHash('sha256').update(JSON.stringify([id, type, stream, line, text])).digest('hex').slice(0, 24)}`

/** Returns why a call of the batch failed; undefined if its event exists. */
function refusalIn(result: unknown): string | undefined {
  if (!isJsonObject(result)) return 'unexpected-error'
  const { error } = result
  if (!isJsonObject(error) || error['id'] === 'item-already-exists') return undefined
  return String(error['message'])
}
