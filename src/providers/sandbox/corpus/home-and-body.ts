/** Sleep, health in small things, housework, being with other people. */
export const homeAndBody = `
Q: How can I sleep better?
A: Go to bed at the same time every day and get up at the same time, also on Sundays. Keep the room dark and rather cool. Stop looking at screens an hour before, and leave the last coffee at noon. If you lie awake for more than twenty minutes, get up, read something dull by a small lamp, and go back when your eyes close.
---
Q: How much water should I drink?
A: Let your thirst decide. For most people it comes to something between one and two litres a day, and more when it is hot or when you work hard. If your water is pale you drink enough, and if it is dark you do not.
---
Q: How do I get rid of hiccups?
A: Hold your breath for as long as you comfortably can, swallow three times, and breathe out slowly. It calms the muscle that has lost its rhythm. If it does not help, drink a glass of water from the far side of the rim; at least it gives the others something to laugh about.
---
Q: I have a headache. What can I do?
A: Drink a large glass of water, open the window and rest your eyes for a quarter of an hour. Often it is thirst, bad air or a stiff neck. If the pain is sudden and stronger than anything you know, or if it comes with fever or trouble with speaking, call a doctor at once. I am not one.
---
Q: How do I remove a stain of red wine?
A: Dab it, do not rub. Lay a clean cloth on the stain to soak up what it can, then pour on sparkling water or cold salt water and dab again. What is left comes out in the wash if it has not dried. White wine does not help, whatever people say at parties; it is only a pity about the second glass.
---
Q: How often should I wash my sheets?
A: Every one to two weeks. Wash them at sixty degrees, and hang them in the sun if you can, because nothing you can buy smells as good.
---
Q: How do I start running?
A: Slowly. Run for one minute, walk for two, and do this eight times. Go three times a week, with a day of rest between. You should be able to talk while you run. If you cannot, you are too fast. After eight weeks you will run for half an hour, and you will wonder when it happened.
---
Q: How do I stop putting things off?
A: Make the beginning ridiculously small. Do not write the essay; open the file and write its title. Set a clock to ten minutes and allow yourself to stop when it rings. Most of the time you will go on. And ask yourself what it is about the task that you are afraid of, for laziness is mostly fear in slippers.
---
Q: How do I make friends in a new town?
A: Go to the same place at the same time every week: a choir, a class, a table in a café. People become friends by seeing each other again without having planned it. Be the one who learns the names, and be the one who asks whether anybody would like to walk to the tram together.
---
Q: How can I remember names?
A: Listen to the name as if you had to write it down. Say it back at once: it is good to meet you, Helen. Look for something in the face and tie the name to it. And when you part, say it once more. If you have lost it, ask; everyone is glad not to be the only one.
---
Q: What helps against stress?
A: Breathe out longer than you breathe in, ten times, and your heart will slow down whether it wants to or not. Write down everything that is on your mind, and put a mark at the one thing that you can do today. Then move: a walk round the block clears away what your body had prepared for a fight.
---
Q: How do I clean windows without streaks?
A: Choose a cloudy day, because in the sun the water dries too fast. Wash the glass with warm water and a drop of soap, then pull it dry with a rubber blade from the top to the bottom and wipe the blade after each stroke. Old newspaper will do for the edges.
---
Q: How do I fold a fitted sheet?
A: Put your hands into two neighbouring corners and turn one over the other, so that it sits like a hood. Do the same with the other two, and then bring all four together. Lay the sheet down, fold the round edges in until it is a rectangle, and roll up the rest. If it goes wrong, close the cupboard door quickly.
---
Q: My child does not want to go to bed. What can I do?
A: Make the evening the same every day: supper, bath, teeth, story, light. Announce each step a little before, since children do not hate the bed but the surprise. Give two small choices, such as which pyjamas and which story, and none about the time. Then be friendly, boring and firm.
---
Q: How do I apologise to a friend?
A: Go to see them, if you can, or call. Do not explain yourself first. Say what you did and that you are sorry for it, and then listen for as long as they want to talk. It will be uncomfortable for a few minutes, and that is the price.
---
Q: How do I pack a suitcase?
A: Lay out everything you want to take, and put a third of it back. Roll what may crease and fold what may not. Shoes go to the bottom with socks inside them, heavy things near the wheels, and what you need on the first evening on the very top. Leave a corner empty for the way home.
---
Q: How many hours of sleep do I need?
A: Most grown people need between seven and nine. You have had enough if you wake up shortly before the alarm and do not fall asleep over the newspaper in the afternoon.
---
The first cold of the year went through the house like a parcel. The youngest brought it from school and gave it to her brother, who gave it to his father, who said that it was nothing. For three days the kettle was never cold. There was honey in everything. The mother, who was the only one still on her feet, went from bed to bed with a tray, like the steward of a sinking ship, and on the fourth morning, when all the others sat at the table again and were hungry, she put down the tray, said that it was nothing, and went to bed.
---
In our house there is a drawer that holds everything which has no place. There are rubber bands in it, three keys that fit nothing, a candle for power cuts, the instructions for a radio that we gave away, a very good pair of scissors, string in four lengths, and a button from a coat that none of us remembers. Every spring somebody says that the drawer must be cleared out. We tip it onto the table and look at each thing, and then we put it all back, because each of us has found something that was only waiting.
---
There is a right way to be bored. You have to have nothing in your hand. You sit on a chair that is not too soft and look at something that hardly changes, a wall will do, or a tree. The first ten minutes are unpleasant. You remember everything that you ought to be doing. Then it becomes quiet, as a pond does when the wind drops, and the things that lie on the bottom can be seen. Most of the good ideas I have had came up from there, and none of them came while I was looking for it.
---
Q: Which three questions should I ask before I buy a house?
A: First, what is wrong with the house: ask for a survey of the roof, the damp and the wiring. Second, what does it cost each month, with the loan, the taxes, the heating and the repairs? Third, how is it to live there: visit the street at night, in the rain and at the hour when you would go to work.
`;
