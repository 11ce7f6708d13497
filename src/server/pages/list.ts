/** All pages of the node. */
import { createManagedPage } from './actFor/create.js'
import { actForPage } from './actFor/page.js'
import { apiPage } from './api/page.js'
import { donePage } from './authorize/done.js'
import { authorizePage } from './authorize/page.js'
import { accountsPage } from './console/accountsPage.js'
import { livePage } from './console/livePage.js'
import { growthImage } from './console/overview/growthImage.js'
import { overviewPage } from './console/overview/page.js'
import { changePage } from './console/people/changePage.js'
import { linkPage } from './console/people/linkPage.js'
import { appsPage, linksPage } from './console/people/listPages.js'
import { newLinkPage } from './console/people/newLinkPage.js'
import { onePage } from './console/people/onePage.js'
import { withdrawPage } from './console/people/withdrawPage.js'
import { signOutPage } from './console/signOutPage.js'
import { oauthConsentPage } from './oauthConsent/page.js'
import { openPage } from './open/page.js'
import type { Page } from './page.js'
import { registerPage } from './register/page.js'
import { askResetPage } from './resetPassword/ask.js'
import { chooseResetPage } from './resetPassword/choose.js'
import { secondFactorPage } from './secondFactor/page.js'
import { secondFactorSetUpPage } from './secondFactorSetUp/page.js'
import { signInPage } from './signIn/page.js'
import { sharedLinkPage } from './sharedLink/page.js'
import { thirdPartyPage } from './thirdParty/page.js'
import { verifyEmailPage } from './verifyEmail/page.js'
import { welcomePage } from './welcome/page.js'

export const pages: readonly Page[] = [
  accountsPage,
  actForPage,
  apiPage,
  appsPage,
  askResetPage,
  authorizePage,
  changePage,
  chooseResetPage,
  createManagedPage,
  donePage,
  growthImage,
  linkPage,
  linksPage,
  livePage,
  newLinkPage,
  oauthConsentPage,
  onePage,
  openPage,
  overviewPage,
  registerPage,
  secondFactorPage,
  secondFactorSetUpPage,
  sharedLinkPage,
  signInPage,
  signOutPage,
  thirdPartyPage,
  verifyEmailPage,
  welcomePage,
  withdrawPage,
]
