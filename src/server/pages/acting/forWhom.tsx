/** @jsxImportSource hono/jsx */
/** On the consent page: whose account it is about when it is not the own one, and the way to choose another. */
import { linkTo } from '../links.js'
import type { Visit } from '../page.js'
import { ACT_FOR } from './actingTarget.js'
import { actForWords } from './words.js'

interface Props {
  visit: Visit
  /** The account that is acted for; undefined for the own one. */
  acting: string | undefined
  /** Whether there may be another to choose. */
  isChoice: boolean
}

export function ForWhom({ visit, acting, isChoice }: Props) {
  const words = actForWords[visit.language]
  return (
    <>
      {acting === undefined ? null : (
        <div class="note">
          <p>
            <strong>{words.acting(acting)}</strong> {words.endsWithActing}
          </p>
        </div>
      )}
      {isChoice ? (
        <p class="small">
          <a href={linkTo(visit, ACT_FOR)}>{acting === undefined ? words.forOther : words.another}</a>
        </p>
      ) : null}
    </>
  )
}
