/** @jsxImportSource hono/jsx */
/** Views for choosing the account that a request is answered for. */
import { AppHeadOf } from '../authorize/app.js'
import { LeaveForm } from '../authorize/leave.js'
import { Form, Hidden } from '../layout.js'
import { linkTo } from '../links.js'
import type { Visit } from '../page.js'
import type { Problem } from '../problem.js'
import { isNothingLeft, type Choices } from '../acting/choice.js'
import type { Managed } from '../acting/managed.js'
import { ACT_FOR, ACT_FOR_NEW } from '../acting/actingTarget.js'
import { actForWords } from '../acting/words.js'

interface Props {
  visit: Visit
  /** Id of the requesting app. */
  appId: string
  /** User name of the person. */
  own: string
  choices: Choices
  /** The preselected account, chosen before or named by the app. */
  ticked: string | undefined
  problem?: Problem | undefined
  hidden: Readonly<Record<string, string>>
}

export function Choosing({ visit, appId, own, choices, ticked, problem, hidden }: Props) {
  const words = actForWords[visit.language]
  const isPossible = !isNothingLeft(choices)
  return (
    <>
      <AppHeadOf visit={visit} id={appId} />
      <Form visit={visit} path={ACT_FOR} problem={problem}>
        <Hidden fields={hidden} />
        {isPossible ? (
          <Accounts visit={visit} own={own} choices={choices} ticked={ticked} problem={problem} />
        ) : (
          <Unavailable visit={visit} choices={choices} />
        )}
        <Others visit={visit} others={choices.others} />
        {choices.canCreate ? (
          <p class="small">
            <a href={linkTo(visit, ACT_FOR_NEW)}>{words.create}</a>
          </p>
        ) : null}
        <div class="buttons">
          {isPossible ? (
            <button name="do" value="choose">
              {words.go}
            </button>
          ) : null}
          <button name="do" value="refuse" class="second" formnovalidate>
            {words.refuse}
          </button>
        </div>
      </Form>
      <LeaveForm visit={visit} path={ACT_FOR} hidden={hidden} />
    </>
  )
}

type AccountsProps = Pick<Props, 'visit' | 'own' | 'choices' | 'ticked' | 'problem'>

function Accounts({ visit, own, choices: { isOwnOffered, active }, ticked, problem }: AccountsProps) {
  const words = actForWords[visit.language]
  const offered = isOwnOffered ? [own, ...active] : active
  const isWrong = problem?.field === 'for'
  return (
    <fieldset {...(isWrong ? { 'aria-describedby': 'problem' } : {})}>
      <legend>{words.legend}</legend>
      <ul class="rows">
        {offered.map((username) => (
          <li>
            <label class="tick">
              {/* A single account is preselected. */}
              <input type="radio" name="for" value={username} required checked={username === ticked || offered.length === 1} />
              <span class="row">
                <strong class="name">{username}</strong>
                <span class="small soft">{username === own ? words.me : words.managed}</span>
              </span>
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  )
}

/** Explains why no account can be chosen. */
function Unavailable({ visit, choices: { missing, canCreate } }: Pick<Props, 'visit' | 'choices'>) {
  const words = actForWords[visit.language]
  return (
    <div class="problem" role="alert">
      <p>{missing === undefined ? words.none : words.missing(missing)}</p>
      {canCreate ? <p>{words.mayCreate}</p> : null}
    </div>
  )
}

/** Lists accounts that cannot be chosen, each with its reason. */
function Others({ visit, others }: { visit: Visit; others: readonly Managed[] }) {
  if (others.length === 0) return <></>
  const words = actForWords[visit.language]
  return (
    <>
      <h2>{words.cannot}</h2>
      <ul class="rows">
        {others.map(({ username, status }) => (
          <li>
            <span class="row">
              <span class="name">{username}</span>
              <span class="small soft">{status === 'invite' ? words.invited : words.stale}</span>
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}
