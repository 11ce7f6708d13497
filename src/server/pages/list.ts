/** All pages of the node. */
import { accessPage } from './access/page.js'
import { createManagedPage } from './actFor/create.js'
import { actForPage } from './actFor/page.js'
import { apiPage } from './api/page.js'
import { donePage } from './authorize/done.js'
import { authorizePage } from './authorize/page.js'
import { accountsPage } from './console/accountsPage.js'
import { livePage } from './console/livePage.js'
import { growthImage } from './console/overview/growthImage.js'
import { overviewPage } from './console/overview/page.js'
import { deletedPage, deletePage } from './console/settings/deletePage.js'
import { emailsPage } from './console/settings/emails.js'
import { exportFilePage } from './console/settings/exportFile.js'
import { exportPage } from './console/settings/exportPage.js'
import { languagePage } from './console/settings/language.js'
import { namePage } from './console/settings/name.js'
import { settingsPage } from './console/settings/page.js'
import { passwordPage } from './console/settings/password.js'
import { sessionsPage } from './console/settings/sessions.js'
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
  accessPage,
  accountsPage,
  actForPage,
  apiPage,
  askResetPage,
  authorizePage,
  chooseResetPage,
  createManagedPage,
  deletedPage,
  deletePage,
  donePage,
  emailsPage,
  exportFilePage,
  exportPage,
  growthImage,
  languagePage,
  livePage,
  namePage,
  oauthConsentPage,
  openPage,
  overviewPage,
  passwordPage,
  registerPage,
  secondFactorPage,
  secondFactorSetUpPage,
  sessionsPage,
  settingsPage,
  sharedLinkPage,
  signInPage,
  signOutPage,
  thirdPartyPage,
  verifyEmailPage,
  welcomePage,
]
