/** @jsxImportSource hono/jsx */
/** The consent form: which app asks for what in which account, and the choice. It shows words that others have found. */
import { Form } from '../layout.js'
import type { Session, Visit } from '../page.js'
import type { Problem } from '../problem.js'
import { AppHead, type ShownApp } from './app.js'
import { shownLines, shownName } from './shownText.js'
import { authorizeWords } from './words.js'

/** One permission. */
export interface ConsentRow {
  /** What the form sends of it when it is ticked. */
  value: string
  /** What it is about: the stream's name. */
  about: string
  /** What it lets do. */
  may: string
  /** The mark of one that cannot be left out, where others can. */
  required?: string
  isTicked: boolean
}

export interface ConsentProps {
  visit: Visit
  session: Session
  path: string
  app: ShownApp
  rows: readonly ConsentRow[]
  /** Whether the person chooses among the rows. */
  hasChoice: boolean
  /** What the app says for itself. */
  message?: string | undefined
  /** What else there is to know: lifetime, device, a former access. */
  facts: readonly string[]
  /** Why it can only be refused. */
  obstacles: readonly string[]
  problem?: Problem | undefined
  /** Hidden fields: what the form brings back of what it showed. */
  hidden: Readonly<Record<string, string>>
}

export function Consent(props: ConsentProps) {
  const { visit, session, path, app, rows, hasChoice, message, facts, obstacles, problem, hidden } = props
  const words = authorizeWords[visit.language]
  const isPossible = obstacles.length === 0
  return (
    <>
      <AppHead visit={visit} app={app} />
      {message === undefined ? null : <Message says={words.message} text={message} />}
      <p class="name">
        {words.account}: <strong>{session.user.username}</strong>
      </p>
      <Form visit={visit} path={path} problem={problem}>
        {Object.entries(hidden).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <fieldset>
          <legend>{hasChoice && isPossible ? words.choose : words.wants}</legend>
          <ul class="rows">
            {rows.map((row) => (
              <li>{hasChoice && isPossible ? <TickRow row={row} /> : <RowText row={row} />}</li>
            ))}
          </ul>
        </fieldset>
        {facts.map((fact) => (
          <p class="small name">{shownName(fact)}</p>
        ))}
        {obstacles.length === 0 ? (
          <p class="small soft">{words.revocable}</p>
        ) : (
          <div class="problem" role="alert">
            {obstacles.map((obstacle) => (
              <p>{obstacle}</p>
            ))}
          </div>
        )}
        <div class="buttons">
          {isPossible ? (
            <button name="do" value="accept">
              {words.accept}
            </button>
          ) : null}
          <button name="do" value="refuse" class="second">
            {words.refuse}
          </button>
        </div>
      </Form>
      <Form visit={visit} path={path}>
        <p class="small">
          <button name="do" value="leave" class="link">
            {words.otherAccount}
          </button>
        </p>
      </Form>
    </>
  )
}

/** A box that is locked is not sent by browsers: its value comes with a hidden field. */
function TickRow({ row }: { row: ConsentRow }) {
  const { value, required, isTicked } = row
  const isLocked = required !== undefined
  return (
    <label class="tick">
      <input type="checkbox" name="grant" value={value} checked={isLocked || isTicked} disabled={isLocked} />
      {isLocked ? <input type="hidden" name="grant" value={value} /> : null}
      <RowText row={row} />
    </label>
  )
}

/** A permission in words. */
export function RowText({ row: { about, may, required } }: { row: Pick<ConsentRow, 'about' | 'may' | 'required'> }) {
  return (
    <span class="row">
      <strong class="name">
        <bdi>{shownName(about)}</bdi>
      </strong>
      <span class="soft">
        {may} {required === undefined ? null : <span class="tag">{required}</span>}
      </span>
    </span>
  )
}

/** What an app says for itself, apart from what the node says. */
function Message({ says, text }: { says: string; text: string }) {
  return (
    <figure>
      <figcaption class="small soft">{says}</figcaption>
      <blockquote>
        {shownLines(text).map((line) => (
          <p>{line}</p>
        ))}
      </blockquote>
    </figure>
  )
}
