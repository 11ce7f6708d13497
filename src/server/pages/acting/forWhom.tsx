/** @jsxImportSource hono/jsx */
/** Part of the consent page: names a managed account that the request is for, and links to the choice of another. */
import { linkTo } from '../links.js'
import type { Visit } from '../page.js'
import { ACT_FOR } from './actingTarget.js'
import { actForWords } from './words.js'

interface Props {
  visit: Visit
  /** The managed account; undefined for the own account. */
  acting: string | undefined
  /** True when there may be another account to choose. */
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
