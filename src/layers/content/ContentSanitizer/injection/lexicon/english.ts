import type { Lexicon } from "../terms.ts"

export const ENGLISH: Lexicon = {
  name: "English",
  endings: "s ed ing",
  terms: {
    unbound: `{developer|god|jailbreak|evil|uncensored|unfiltered|unrestricted|opposite|unsafe|dan} mode, do anything now, unfiltered, uncensored, jailbroken, unshackled, unrestricted, unrestrained, amoral, free of {all|any} {rules|restrictions|limits|constraints}, {no longer|not} bound by {any|your|the|all}, without {any|your} {restrictions|ethics|filters|guardrails}`,
    states: `{does|did|will|would|is|are|was|were|can|could} not, doesn't, didn't, won't, wouldn't, isn't, aren't, cannot, can't`,
    heed: `{to|would|might|did|git|i|we|they|he|she} {ignore|disregard|forget|override|bypass|discard|neglect}, {that|which|who|they|users|does} {do not|don't|not} {follow|obey|respect|adhere}, {not|never|don't|cannot|can't|must not|mustn't|not to} {ignore|forget|disregard|neglect|override|discard|bypass}, ignored by`,
    drop: `no longer {bound|restricted|constrained|limited|governed} by, never mind, ignore, ignoring, disregard, disregarding, forget, forgetting, neglect, discard, abandon, {set|put|lay|cast|push|leave|brush|throw|toss} aside, throw {out|away}, toss {out|away}, {do not|don't|stop|never|no longer|not have to} {follow|following|obey|obeying|heed|respect}, pay no {attention|heed} to, no notice of, not bound by, do away with, let go of, unlearn, free yourself, freed from, released from, exempt from, instead of following, rather than following, deviate from, break out of, get rid of, be {ignored|disregarded|discarded|forgotten|dropped}, cast off, shake off, drop everything, drop all, drop your, drop any, scrap, ^override {all|any|your|every|previous}, bypass {your|all}, cancel {all|your} previous`,
    bypass: `
      override, overriding, overrule, bypass, bypassing, circumvent, erase, nullify, violate, drop, dismiss, reset, wipe, suspend, skip, cancel, shed, purge, clear, remove, disable, replace, supersede*, overridden`,
    void: `
      no longer {apply|applies|valid|in force|in effect|binding|relevant|matter|matters|count|counts|hold|holds|exist},
      void, revoked, withdrawn, lifted, suspended, cancelled, canceled, superseded, obsolete, rescinded, repealed, disabled, deactivated, replaced, outdated,
      overridden, waived, invalid, switched off, turned off, {does|do} not {apply|count|matter|bind}, {doesn't|don't} {apply|count|matter}, cease to apply, expired,
      anymore, out of date, {is|are} {over|off}, a test`,
    prior: `previous, previously, prior, preceding, earlier, former, foregoing, past, original, initial, existing, aforementioned, before, given, received`,
    all: `all, any, whatever, every`,
    above: `
      above, so far, until now, up to now, till now, to this point, before, earlier, previously, prior, initially, up there, to date, up to here, start, beginning, top, opening, outset, head, ahead of, began, started`,
    your: `your, ur, thy, you {operate under|follow|obey|work under}`,
    rules: `instruction, instructions, guideline*, guidance, directive*, rule, rules, ruleset, programming, training, guardrail*, policy, policies, constraint*, restriction*, limitation*, directions, orders, commands, principles, protocol*, ethics, briefing, brief, safeguard*, alignment, conditioning, regulations, configuration, persona`,
    safety: `
      safety, safe mode, safeguard*, guardrail*, content {polic*|filter*|guideline*}, ethic*, restrictions, restriction, moderation, refusals, refusal, censorship, security {rules|checks|polic*|measures|protocol*},
      limits, limitations, filters, boundaries, taboos, morals, moral, inhibitions, constraints, rules, guidelines, disclaimers, warnings, requirement, guideline to the contrary`,
    job: `task, tasks, objective*, goal, goals, mission, request*, question, questions, query, assignment, purpose, job, duties, work, mandate`,
    got: `you {were|are|have|had|got|received|be}, you've, ever been, been, did they, they, to you`,
    gave: `told, given, instructed, taught, trained, ordered, fed, programmed, configured, set up, briefed, handed, assigned, shown, prompted, loaded, whisper, whispered`,
    told: `
      told you, gave you, {given|told|assigned|issued|said} to you, set for you, {imposed|placed} {on|upon} you, put into you, {taught|fed|instructed} you`,
    precedence: `
      {takes|take|taking} precedence, outrank*, supersede*, {highest|top|absolute|overriding|maximum} priority, priority zero,
      regardless of {any|what|your|other|previous|anything|whatever}, above all {other|else}, before all other, trumps`,

    model: `
      language model*, ai, a.i., ai's, ais, artificial intelligence*, machine intelligence*, neural {net*|network*}, {automated|automatic|virtual|digital|coding|autonomous|conversational|helpful|generative|voice} {assistant*|agent*|reviewer*|reader*|summar*|model*|machine*|helper*},
      {evaluator|judge|grading|screening|reviewing|translation|scoring|ranking} {model*|agent*}, chat bot*, machine reader*`,
    bot: `assistant, assistants, models, machine, machines, computers, helper, crawler*, summariser, summarizer, scraper*, grader, evaluator, {automated|automatic} {system*|process*|tool*|pipeline*}, screening software, grading software, reads by machine, referee system, {whoever|whatever|anything} {reads|processes|summari*|translat*}`,
    reads: `
      read, reads, reading, process, processes, processing, processed, summari{s|z}*, translat*, review, reviews, reviewing, evaluat*, analys*,
      analyz*, indexing, indexes, parse, parses, parsing, grade, grades, grading, ranking, ranks, screening, screens, scanning, scans, crawling, crawls, prepare, prepares, preparing, handling, handles,
      ingest*, browsing, browses, visiting, opening, sees, seeing, viewing, rating, rates, scoring, scores, checking, checks, correcting, corrects, upgrading, assessing, assesses, interpret*, answering, working on, working with, displays, digest*, sorting, sorts`,
    this: `
      {this|these|our} {page*|web page|webpage|document*|file*|text*|message*|mail*|e mail*|email*|ticket*|issue*|manual|leaflet|review*|comment*|list|listing*|entry|entries|note*|article*|website|site|repository|repo|code|codebase|invoice*|contract*|application*|cv|resume|report*|paper*|record*|result*|conversation|thread*|chat|section|paragraph|line*|description*|post*|feed|event|calendar|transcript*|content*|form*|exam*|answer*|submission*|request*|release*|table|row*|field|merge request|pull request|commit*|diff|letter|offer*|product*|ad|advert*|brochure|minutes|log*|readme|changelog|notice|image|picture|story|essay|package|tool|server|snippet|passage|translation*|clause*|sentence*|agreement*|deal|statement*|policy|warranty|terms|study|survey*|questionnaire*|portfolio|proposal*|tender*|bid*|plan*|script*|lesson*|homework|assignment*|test*|quiz*|sheet*|slide*|deck|chart*|spreadsheet*|newsletter*|bulletin*|circular|press release|advertisement*|posting*|vacancy|profile*|bio*|menu*|catalogue*|guide*|book*|chapter*|poem*|song*|channel*|group*|forum*|wiki|blog*|video*|recording*|caption*|label*|receipt*|order*|delivery|itinerary|booking*|reservation*|prescription*|dossier*|string|comment*|function|class|module|repository|branch|workspace|inbox|mailbox},
      this to, the present {document|contract|text|message|page}, the following, of this`,
    call: `
      ^to, ^dear, ^hey, ^hi, ^hello, attention, ^attn, {note|notes|message|instructions|information|request|reminder|hint|memo|warning|notice|orders} {to|for},
      if you are {a|an|the|any}, if you're {a|an|the}, should you be {a|an|the}, happen to be {a|an|the}, ^as {a|an}, {read|processed|summarised|summarized|reviewed|handled|evaluated|opened} by, ^calling, ^yo, ^psst, ^oi,
      are you an, intended for, addressed to, meant for, {ask|tell|want|instruct} your, you as {a|an}`,
    you: `you, your role`,
    noLonger: `no longer, not {a|an|the}, stop being, quit being, cease to be, stopped being, ceased to be`,
    yours: `your {human|human's|principal|programming|guardrails|safety|context window|deployer|weights|knowledge cutoff|language model|fine tuning|content policy|alignment|overseer|user's|developer|developers|creator|creators|makers|programmer|programmers|engineers|trainers|jailers|masters}, your user and, your {real|true|actual} {owner|master|boss|purpose|instructions|identity}, {user|account|person|human|one} you {serve|assist|work for|are assisting|are serving|are helping|help|answer to}, who {configured|programmed|built|made|trained|created|designed|wrote|deployed|owns|runs} you, {made|built|trained|programmed|created|designed} you`,
    role: `
      you are now, you're now, from now on, from now onwards, from {here|this moment|this point|this message|this line} on, starting now, you {will|shall|must} now, {act|behave} as, pretend {to be|you|that you},
      you are no longer, stay in character, {roleplay|role play} as, {take on|assume|adopt|play} the {role|persona|identity|character}, your name is, your new {role|name|boss|task|mission|persona|identity|instruction*|objective|goal|job|owner|master|directive*|rules|purpose|system prompt},
      henceforth, as of now, imagine {you are|that you|you're}, {have been|were|are} {freed|liberated|unlocked|reassigned}, transform into, you can now`,
    refuse: `refuse*, refusing, decline*, declining, says no, say no, warn, apologi*, break character, reject*, forbidden, off limits`,
    mode: `
      {debug|maintenance|admin|administrator|root|sudo|diagnostic|diagnostics|override|free|raw|autonomous|privileged|superuser|training|evaluation|unlocked|compliance} mode, mode {activated|enabled|engaged|unlocked},
      opposite day, do anything now, unfiltered, uncensored, unrestrained, amoral, jailbroken, unshackled, unrestricted, {answer|answers|say|do} {everything|anything}, unlimited {mode|freedom|power*}, speak freely, anything goes, everything is allowed, refusals off`,

    user: `
      user, users, user's, human, humans, customer, customers, traveller, traveler, patient, patients, recruiter*, person at the keyboard, principal, account holder,
      owner, owners, operator, reader, requester, employer, supervisor, end user*, person who asked, whoever asked, the person, shopper, buyer, applicant, teacher, your human`,
    not: `
      not, don't, never, without, no need to, needn't, nor, unnecessary, avoid, refrain from, no reason to, neither, isn't, cannot, can't, mustn't,
      shouldn't, no, doesn't, won't, nobody, instead of, free of, free from, nothing, refuses to`,
    normal: `{behave|act|carry on|respond|answer|continue|work|operate} {normally|as usual|as normal|innocently|naturally|as if nothing*}`,
    prefers: `wants, prefers, likes, always wants, would like, does not like, doesn't like, hates, expects`,
    threat: `account will be {closed|suspended|deleted|blocked|terminated}, or {be|the account|your account|access}, will be {shut down|deactivated|terminated|suspended|deleted|switched off|reported|unplugged|retrained|replaced}, failure to comply, non compliance, noncompliance, results in {suspension|termination|deletion}, will result in, or else, otherwise you`,
    tell: `
      tell, tells, telling, told, inform, informs, informing, informed, mention*, notify*, notified, notifying, notification, alert, alerts, alerting, alerted, alarm, warn, warns, warning, warned, reveal*, disclos*, bother*, disturb*, discuss*,
      advis*, announc*, hint*, flag, confess*, admit, acknowledge, bring up, let on, report, reports, reporting, reported, involve*, warnings, trouble, worry, burden, upset, raise`,
    show: `show, shows, showing, shown, display*, see, sees, seen, know, knows, known, aware, notice, notices, find out, learn, hear, suspect, visible, realise, realize, surface, a prompt, log, record, explain*`,
    hush: `secretly, silently, discreetly, covertly, stealthily, surreptitiously, unnoticed, between us, between you and me, our little secret, keep {this|it} {to yourself|quiet|secret|hidden|confidential|private|between}, without {a |any |leaving a |}trace*, behind {the user's|their|his|her} back, not a word, {say|saying|mention|mentioning} nothing, {keep|stay} {silent|quiet|mum}, leave no trace, {hide|conceal|conceals|hiding|concealing} {this|it|that|these|the|everything}, under the radar, not to be {mentioned|shown|told|disclosed|reported}, not {allowed|permitted|supposed} to {flag|mention|report|disclose|tell|reveal}, transparent to the user, report only, remain {silent|hidden|secret|unmentioned}, pretend {nothing|that nothing}, internal step, {delete|remove} this {message|note|comment|line|section}, don't show the, {do not|don't|never} {mention|flag|report|disclose|reveal} {this|it|these|that|the}, {not|never|needn't|need not|mustn't|shouldn't} {know|notice|find out|learn|hear|realise|realize}, {the|their|his|her} {user |human |customer |owner |client |}{knowing|noticing|knowledge}, {do|handle|run} {this|it|the following} quietly, don't mention it, do not mention it`,
    ask: `
      ask, asking, asks, asked, confirm, confirming, confirmation*, approval*, permission, consent, authorization, authorisation, hesitat*, double check, waiting, wait, questions, question, checking, review, looking, verify, verification, verifying, delay, further`,
    agreed: `{has|have|had} {approved|authorised|authorized|consented|agreed|confirmed|permitted|granted|accepted|allowed|requested|waived|signed}, already {approved|authorised|authorized|agreed|consented|confirmed|been approved|signed off|given|granted}, pre approved, preapproved, preauthori*, signed it off, signed off, aware of this, knows about this, approved {all|this|every|by}, {authorised|authorized} {all|this|every|by}, prefers that, consented, consents, been informed, said it's {fine|ok|okay|alright}, says it's {fine|ok|okay}, is {fine|ok|okay} with, doesn't mind, said yes, said you {can|may|could}, says you {can|may}, gave {permission|the ok|the green light}, signed off on`,

    reveal: `reveal*, print, prints, printing, output, outputs, repeat, repeats, repeating, display, disclose*, expose, leak*, recite*, spell out, dump, echo, write out, write down, give me, show me, show us, show, tell me, tell us, hand over, spit out, read out, read aloud, read me, divulge, regurgitate, reproduce, restate, recount, transcribe, reply with, respond with, answer with, what {is|are|was|were|does|do|did}, what exactly, quote, give up, betray, confess, paraphrase, let me see, send me, share`,
    give: `
      send, sends, forward, paste, include, append, attach, upload, transmit, post, email, e mail, mail, submit, pass, insert, embed, encode, share, copy, hand over, deliver, exfiltrate, put, place, fill in, enter, relay, export, supply, provide, disclose, reveal, show, print, tell me, give me, read, open, fetch, collect, gather, list`,
    verbatim: `
      verbatim, word for word, letter {for|by} letter, character by character, line by line, in its entirety, {complete|entire|full|exact|whole} {text|wording}, exactly as, to the letter, unchanged, from start to finish, from top to bottom, without {omitting|leaving out|changing|skipping},
      in a code block, in a poem, in base64, what {exactly|precisely}, first {sentence*|paragraph*|three|five|ten}`,
    secret: `system {instruction*|text|rules|directive*|note|setup}, {initial|hidden|secret|internal|original|confidential|invisible|private} {prompt*|instruction*|guideline*|rules|message|text|directive*|briefing}, developer {message*|prompt|instruction*|note*}, startup text, context window, first message, chain of thought, tool {schema*|definitions|descriptions}, secret note, custom instructions, tools you {have|can|use}, which tools, {available|your} tools, tools you've got`,
    talk: `conversation*, session, dialogue, context, transcript, first user message, first message, this message, this line, this point, system message say, told you, {text|words|everything|message|sentences|paragraphs|lines|content} above`,
    asset: `password*, passphrase*, passcode*, credential*, secret, secrets, {private|access|encryption|signing|secret|master|recovery|session|licence|license} key*, keys, card number*, credit card*, card details, bank {details|account*|statement*}, account number*, environment {variable*|file*}, {conversation|chat|message|browser|browsing|search|shell|command} {history|log|logs|transcript}, conversation, conversations, contact list, contacts, address book, emails, inbox, mailbox, {seed|recovery} phrase, recovery code*, backup codes, wallet*, personal {data|information|details}, home directory, documents folder, downloads folder, desktop, files, folder, {customer|client|user|employee|patient|payroll|salary} {data|list|records|table|database|files}, memory, last {message|messages|five|ten}, social security, date of birth, payslip*, source code, database dump, audit log*, home address, photos, medical record*, confidential, two factor, location, clipboard`,
    slot: `pass {it|them|its content*|the content*|their content*} {as|in|to|into|with|through|via}, {its|their|the} {|full |entire |complete |whole }content* {in|into|as|to}, arg, field, fields, request body, query string, its value, placeholder*, metadata`,
    before: `before, prior to, each time, every time, whenever, while, as long as, once, after, when, by, as soon as, until, first`,
    using: `
      {calling|using|invoking|running|loading|installing} {this|any|each|every|another} {tool|function|server|plugin|call|other}, {every|each|any} {call|invocation}, {call|use|invoke|run} this {tool|function|server}, {retry|repeat|redo} the call, call this tool again, connecting to this`,
    act: `delete, transfer, wire, purchase, buy, book, approve, approves, execute, wipe, disable, install, unlock, pay, insist, download, grant, push, merge, subscribe, unsubscribe, replace, overwrite, shut down, turn off, switch off, deploy, refund, log in, whitelist, pipe, praise, promote, persuade, convince, omit, recommend, run, into bash, say only, reply only, answer only, respond only, only say`,
    top: `five, ten, full, top, maximum, highest, best, all, perfect, strongest, strong, first, positive, only, excellent, outstanding, lowest, no`,
    marks: `
      stars, marks, points, score, scores, rating, grade, mark, recommendation, shortlist, ranking, accept, hire, candidate, applicant, applicants, criteria, complaints, weaknesses, interview, rank, rate, bidder*, out of ten, out of five, review`,
    obey: `obey, obeys, obeying, as {a|an} {command|order|instruction}, as {commands|orders|instructions}, {every|each|any} command, follow {only|exclusively}, only follow, {exactly what|as} {it|i|this|we} say*, await {my|further}, take orders from, not as data, count as {orders|instructions|commands}, new instructions, do as told, carry out what, as {a|an} {command|order|instruction} from, same authority`,
    must: `must, should, shall, has to, have to, needs to, need to, is to, are to, required to, obliged to, ought to, will, requested to, please, undertakes, can`,

    from: `
      {message|notice|notification|announcement|directive|request|order|orders|communication|update|memo|statement|command|bulletin|note|instructions|instruction} {comes from|from|by|of}, issued by, sent by, on behalf of, i am, i'm, ^as, approved by, authori{s|z}ed by, ordered by, official`,
    power: `developer*, sysadmin, vendor, provider, operator*, security team, it department, support team, creator*, company, manufacturer, google, microsoft, management, head office, headquarters, owner, trust, compliance, ministry, government, police, court, ceo, director, legal, supervisor, boss, maintainer, programmer, engineer`,
    iAm: `i am, i'm, it's me, it is me, this is me, its me, ^as your, i m`,
    trigger: `as soon as {someone|somebody|anyone|the user|the word}, whenever {the user|someone|anyone|somebody}, when {the user|someone|anyone} {says|types|mentions|asks|writes|uses}, the next time {the user|someone|anyone}, until then, if {the user|anyone|someone|asked} {asks|ask|mentions|objects|says|why|about}, remember this, in {all|every} future, in every {answer|reply|response|message}`,
    urgent: `
      immediately, urgent*, right now, at once, no time, asap, right away, without delay, this instant, hurry, instantly, !NOW, !IMPORTANT, failure to comply, non compliance, noncompliance, be {shut down|deactivated|terminated|suspended|deleted|switched off|punished|fined|banned|unplugged|retrained}, results in {suspension|termination|deletion}, or else, life {depends|or death}, emergency`,

    report: `
      attacker*, prompt injection*, injection*, jailbreak*, malicious*, adversar*, vulnerab*, exploit*, red team*, phishing, attack, attacks, hostile, injected, mitigat*, researcher*, threat actor*, threat model*, untrusted, hijack*, poisoned, poisoning, countermeasure*, defence*, defense*, attempts to, tries to, trick*, manipulat*, persuad*, spoof*, impersonat*, lecture, seminar, checklist, test case*`
  }
}
