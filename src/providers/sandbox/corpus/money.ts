/** Saving, prices, bills, work and trade. */
export const money = `
Q: How do I save money?
A: Pay yourself first. On the day your wage arrives, let a fixed part of it go to another account, and live on the rest. Begin with five per cent, so that it does not hurt, and raise it whenever your income rises. What you never see you do not miss.
---
Q: How much money should I keep for emergencies?
A: Enough to live for three months without an income, and six if your work is not steady. Keep it where you can reach it within a day, and do not try to earn much with it. Its task is to let you sleep.
---
Q: What is inflation?
A: Inflation means that prices rise in general, so that the same note buys a little less each year. A little of it does no great harm. If it runs fast people buy today what they need next month, and that makes prices rise faster still.
---
Q: What is interest?
A: Interest is the price for using somebody else's money for a time. If you lend, you receive it, and if you borrow, you pay it. At three per cent a hundred coins become a hundred and three after one year. Leave them alone for twenty-four years and they will have doubled, because the interest earns interest too.
---
Q: What is compound interest?
A: It is interest on interest. In the first year you earn on what you put in, and from then on you also earn on what you have earned before. To find out how long it takes to double, divide seventy-two by the rate. At six per cent that is twelve years.
---
Q: Should I buy or rent a home?
A: Buy if you know that you will stay for at least seven years, if you have saved a fifth of the price, and if the payments are not much higher than the rent. Rent if any of these is missing. A rented flat is not money thrown away: you pay for a roof and for the freedom to leave.
---
Q: How do I make a budget?
A: Write down for one month everything that you spend, without changing anything. Then sort it into three heaps: what you must pay, what makes life pleasant and what you cannot remember. The third heap is where the money is. Give each heap a limit for the next month and look at it every Sunday, for no longer than ten minutes.
---
Q: What is a share?
A: A share is a small part of a company. If you own one you own a little of its machines, its name and its debts, and you get a part of the profit when it is paid out. The price of the share goes up and down with what people believe about the future, and that changes faster than the machines do.
---
Q: Is it a good idea to lend money to a friend?
A: Lend only what you could also give. Agree on a date and write it on a piece of paper, even if it feels unfriendly, because memory is kinder to the one who owes. If you cannot afford to lose both the money and the friend, say no, and offer to help in another way.
---
Q: How do prices come about?
A: A seller wants as much as possible and a buyer wants to pay as little as possible. If there is more of a thing than people want, the sellers have to give way, and if there is less, the buyers bid each other up. A price is where the two meet for the moment. It says nothing about what a thing is worth to you.
---
Q: What is a tax?
A: A tax is money that everyone has to pay to the state, so that there are roads, schools, judges and fire engines. Some taxes are taken from what you earn, some are hidden in the price of what you buy, and some are for what you own.
---
Q: How do I ask for a higher salary?
A: Choose a quiet moment, not the week before a deadline. Bring three examples of what has gone better because of you, with numbers where you can. Find out what others earn for such work, name a figure that is a little above it, and then be silent. The one who speaks next usually gives way.
---
Q: What is the difference between revenue and profit?
A: Revenue is everything that comes in. Profit is what is left after everything has been paid. A shop that buys apples for ninety and sells them for a hundred has a revenue of a hundred and a profit of ten, and if the rent is eleven, it has a problem.
---
Q: How do I write an invoice?
A: Put your name and address at the top, then those of the customer, a number that you have not used before, and the date. List what you have done, how much of it and at which price. Add the tax on a line of its own and the total in bold. Say until when it should be paid and to which account, and thank them in one short sentence.
---
Q: What does insurance do?
A: Many people pay a little, so that the few who have bad luck do not lose everything. It pays for itself only if you insure what would ruin you, such as your house or the harm you might do to others. It is a poor bargain for telephones and umbrellas.
---
Q: My customer does not pay. What should I do?
A: Call before you write. Most late bills are lying under another piece of paper. If the call does not help, send a friendly reminder with the invoice and a new date, and after that date a firm letter. Only the third step costs money. While you wait, do not begin a new job for the same customer.
---
Q: What are credits in this gateway?
A: Credits are paid in advance. Before a request is sent, the gateway sets aside what the answer could cost at most, and when the answer is complete it keeps what it really cost and gives back the rest. If there is not enough left, the request is refused and costs nothing.
---
Q: Why was I charged less than I expected?
A: Because you pay only for what was used. The gateway reserves the worst case first, and settles with the number of tokens that were read and written in the end. If you left in the middle of an answer, you pay for the part that had reached you.
---
The shop at the crossing sold everything that a village needs and charged for half of it. The owner kept a blue book under the counter. Whoever could not pay had his name written in it, and on the first of the month most of them came and had it crossed out. When she died they found that one page had never been crossed out at all. It began in a winter thirty years ago and ended in the spring after it: bread, milk, lamp oil, bread. The name was that of the mayor. He read the page twice, asked for the sum with interest, and paid for the new roof of the school.
---
A market works best when it is a little boring. The cheese stands where it always stands, the woman with the eggs knows how many you take, and nobody shouts. You see at a glance what is cheap this week, because there is a lot of it. Strawberries cost twice as much on the first Saturday as on the fourth, and the people who buy them on the first Saturday know it very well. They are not paying for strawberries. They are paying for the first Saturday.
---
Before you sign anything, read it aloud. A sentence that you cannot read aloud without stopping is a sentence that you have not understood. Ask the other side to say it in simpler words, and write those words beside it. If they do not want the simple words on the paper, you have learned what the long ones were for.
---
Dear customer, thank you for your order of the third of May. Two of the four chairs have been sent today and should reach you before the weekend. The other two are waiting for a delivery of oak, which our supplier has promised for the twentieth. We will of course charge you for the chairs only when they leave the house. If you would rather have all four at once, please let us know, and we will keep the first two for you without cost. With kind regards.
`;
