/** @jsxImportSource hono/jsx */
/** The consent form: the requesting app, the requested permissions, and the buttons to accept or refuse. */
import type { Child } from 'hono/jsx'
import type { ConsentText } from '../../api/accessRequests/consentWords.js'
import { Form, Hidden } from '../layout.js'
import type { Visit } from '../page.js'
import type { Problem } from '../problem.js'
import { AppHead } from './app.js'
import { LeaveForm } from './leave.js'
import { RowText, Tick } from './rows.js'
import { authorizeWords } from './words.js'

interface ConsentProps {
  visit: Visit
  /** Path of the page that handles the form. */
  path: string
  text: ConsentText
  /** Path of the app's icon. */
  icon: string | undefined
  /** Content below the app: the account that the request is for. */
  target: Child
  /** Ids of the ticked rows. */
  ticked: ReadonlySet<string>
  problem?: Problem | undefined
  /** Further content of the form, below the rows. */
  more?: Child
  /** Hidden fields that the form sends back. */
  hidden: Readonly<Record<string, string>>
}

export function Consent({ visit, path, text, icon, target, ticked, problem, more, hidden }: ConsentProps) {
  const words = authorizeWords[visit.language]
  const { app, message, intro, rows, notes, obstacles } = text
  const isPossible = obstacles.length === 0
  const hasChoice = isPossible && rows.some(({ isLocked }) => !isLocked)
  return (
    <>
      <AppHead note={app.note} icon={icon} {...(app.description === undefined ? {} : { description: app.description })} />
      {target}
      {message === undefined ? null : <Message heading={message.heading} text={message.text} />}
      <Form visit={visit} path={path} problem={problem}>
        <Hidden fields={hidden} />
        {rows.length === 0 ? (
          <p>{intro}</p>
        ) : (
          <fieldset>
            <legend>{intro}</legend>
            <ul class="rows">
              {rows.map((row) => (
                <li>{hasChoice ? <Tick row={row} name="grant" isTicked={ticked.has(row.id)} /> : <RowText {...row} />}</li>
              ))}
            </ul>
          </fieldset>
        )}
        {notes.map((note) => (
          <p class="small">{note}</p>
        ))}
        {more}
        {isPossible ? <p class="small soft">{words.revocable}</p> : <Obstacles texts={obstacles} />}
        <div class="buttons">
          {isPossible ? (
            <button name="do" value="accept">
              {text.accept}
            </button>
          ) : null}
          <button name="do" value="refuse" class="second" formnovalidate>
            {text.refuse}
          </button>
        </div>
      </Form>
      <LeaveForm visit={visit} path={path} hidden={hidden} />
    </>
  )
}

/** Renders a message of the app, set apart from the texts of the node. */
function Message({ heading, text }: { heading: string; text: string }) {
  return (
    <figure>
      <figcaption class="small soft">{heading}</figcaption>
      <blockquote dir="auto">{text}</blockquote>
    </figure>
  )
}

function Obstacles({ texts }: { texts: readonly string[] }) {
  return (
    <div class="problem" role="alert">
      {texts.map((text) => (
        <p>{text}</p>
      ))}
    </div>
  )
}
