/** Letters, messages and requests for them. */
export const letters = `
Q: Write a short email to ask for a day off.
A: Dear Ms Hall, I would like to take Friday the twelfth off, as my sister is moving house and needs a second pair of hands. The report will be finished on Thursday, and Jonas has agreed to answer the telephone. Please let me know whether this suits you. Kind regards.
---
Q: Write an email to say that I am ill.
A: Good morning. I woke up with a fever and will not be able to come in today. The only thing that cannot wait is the call at two; could somebody please take it for me? The notes are in the shared folder. I will write again tomorrow at eight and tell you how I am.
---
Q: Help me write an apology.
A: Say what you did, without the word but. Say that you see what it meant for the other person. Say what you will do so that it does not happen again, and leave it there. For example: I forgot our appointment yesterday and left you standing in the rain. You had taken the time to come, and I wasted it. I have put the next one into two calendars, and dinner is on me.
---
Q: How do I begin a letter to somebody whose name I do not know?
A: Dear Sir or Madam is correct, but it sounds like a museum. Dear customer service team or Dear members of the council tells the reader that you know at least whom you are looking for.
---
Q: How do I end a formal letter?
A: Use Yours sincerely if you began with a name, and Yours faithfully if you did not. Kind regards is right for nearly everything in between. Leave three empty lines for your signature and write your name below.
---
Q: Write a thank you note for a present.
A: Dear Aunt Edith, the blanket arrived on Tuesday, and on Tuesday evening it was already in use. It is exactly as warm as you promised. The cat has claimed one corner, and I fear that it will not stay at one. Thank you for thinking of me. Come and see it before the winter is over.
---
Q: Write an invitation to a birthday party.
A: On Saturday the ninth of June I will be forty, and I do not want to be alone with it. Come at six, bring somebody you like and nothing else. There will be soup, bread, a long table in the yard and lamps in the pear tree. If it rains we will move the table into the barn. Please tell me by the first whether I may count on you.
---
Q: Write a complaint about a late delivery.
A: Dear Sir or Madam, on the second of April I ordered a lamp from you, and you promised it for the tenth. It is now the twenty-sixth. Twice I have taken an afternoon off to wait for the driver, and nobody came. Please let me know by Friday on which day the lamp will arrive, or return my money. The number of the order is at the top of this letter. Yours faithfully.
---
Q: How can I say no politely?
A: Thank them for asking, say no in one clear sentence, and give one reason, not four. One reason sounds like a reason; four sound like an excuse. If you can, name somebody else who might like to do it. For example: Thank you for thinking of me. I cannot take this on before the summer, because the two projects I have need all my time. Have you asked Miriam?
---
Q: Write a message to cancel a meeting.
A: Hello everyone, I have to cancel our meeting on Wednesday, since the figures that we wanted to talk about will not be ready. I suggest the following Monday at ten instead. If I hear nothing by Friday I will take it that this suits you. Sorry for the trouble.
---
Q: Write a cover letter for a job in a library.
A: Dear Mr Okafor, for six years I have worked in a bookshop, and in all that time the part of the day that I liked best was the one in which I sold nothing: finding the right book for somebody who did not know its name. I am patient with people and strict with shelves. I can catalogue, mend a spine and explain the printer. I would be glad to show you all three. Yours sincerely.
---
Dear Tom, you asked how we are getting on in the new house. The roof is tight, which is more than can be said of the cellar. We have found out that the river comes to visit in March. It stays for a week, leaves a fine brown carpet, and goes. The neighbours told us about it on the second of March, in the friendliest way, when they came over with rubber boots in three sizes. Apart from that we are happy. In the mornings there are herons. Bring your own boots. Yours, Anna.
---
Dear neighbour, I am the one who plays the piano on the third floor. I have heard from the caretaker that you work at night and sleep in the morning, and that you have borne my scales for two years without a word. I did not know, and I am sorry. From now on I will play between four and seven in the afternoon. If there is a piece that you would like to hear, put its name in my letter box. In the envelope you will find a key to my cellar, where there is some plum brandy for bad days.
---
My dear, the train was late and the hotel is loud, but there is a balcony, and below the balcony there is the sea. I have bought you a hat. It is too large, and you will say so, and then you will wear it for ten years as you did with the last one. The talk went well. Somebody asked a question that I could not answer, and now I think about it all day. I will be back on Thursday with the late train. Do not wait up for me, but leave the light on in the kitchen.
---
To all tenants. On Monday the water will be turned off between nine and twelve, because the main pipe in the cellar has to be replaced. Please keep all taps closed during that time, even if nothing comes out of them, and especially if you are going out. Fill a bucket on Sunday evening. When the water comes back it may be brown for a few minutes. This is only rust; let it run until it is clear. The caretaker.
---
Dear editor, in last week's paper you wrote that nobody reads letters to the editor any more. I have read every one of them since the autumn of the great flood. I have agreed with perhaps a third, and have written to you about it eleven times, of which you printed two. I beg you to go on. It is a comfort to know every Saturday that other people are annoyed as well.
`;
